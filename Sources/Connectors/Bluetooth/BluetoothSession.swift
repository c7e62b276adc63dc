import DBus
import Scheduling

/// One connection to a device: scanning, connecting and receiving values until it ends.
///
/// Discovery, notifications and the connection are stopped however it ends.
struct BluetoothSession: Sendable {
    let connector: BluetoothConnector
    let bluez: BlueZ
    let sink: SampleSink

    var fault: BluetoothErrors { BluetoothErrors(sourceName: connector.sourceName) }

    /// Runs until an error occurs.
    ///
    /// - Throws: ``ConnectorError``, ``BluetoothProblem``, ``BusError`` or `CancellationError`.
    func run() async throws {
        let tree = try await bluez.objects()
        let adapter = try tree.adapter(named: connector.adapter)
        guard let known = tree.device(connector.target, of: adapter) else {
            return try await use(try await scan(adapter), of: adapter)
        }
        // A device not received recently may be out of range or have changed its address.
        let isGuess = connector.target.isName && !known.isConnected && !known.isInRange
        do {
            try await use(known, of: adapter, isGuess: isGuess)
        } catch is Unreached {
            try await use(try await scan(adapter), of: adapter)
        }
    }

    /// A device not received recently could not be connected.
    private struct Unreached: Error {}

    // MARK: - Steps

    private func use(
        _ device: BlueZObjects.Device, of adapter: BlueZObjects.Adapter, isGuess: Bool = false
    ) async throws {
        sink.connecting()
        let signals = bluez.signals(at: adapter.path, beneath: device.path)
        var isOurs = !device.isConnected
        // A connection that existed before may be in use by another program and stays open.
        defer { if isOurs { bluez.send(device.path, BlueZ.device, "Disconnect") } }
        if isOurs { isOurs = try await connect(device, isGuess: isGuess) }
        let tree = try await resolveServices(of: device, signals)
        let found = try characteristics(in: tree, of: device)
        var subscribed: [String] = []
        defer { for path in subscribed { bluez.send(path, BlueZ.characteristic, "StopNotify") } }
        for item in found where item.isSubscribed && !subscribed.contains(item.path) {
            subscribed.append(item.path)
            try await call(item, "StartNotify", to: "enable notifications of \(item.wanted.title)")
        }
        sink.connected()
        let feed = BluetoothFeed(connector, sink)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await listen(signals, found, feed, of: adapter, device)
            }
            for item in found where item.isRead {
                group.addTask { try await read(item, feed) }
            }
            // The first error cancels the others.
            while try await group.next() != nil {}
        }
    }

    /// - Returns: whether this call established the connection.
    private func connect(_ device: BlueZObjects.Device, isGuess: Bool) async throws -> Bool {
        do throws(BusError) {
            try await bluez.call(
                device.path, BlueZ.device, "Connect", within: connector.stepLimit)
            return true
        } catch {
            if error.name == "org.bluez.Error.AlreadyConnected" { return false }
            let isOfDevice = error.code != .cancelled && BlueZ.problem(error) == nil
            if isGuess && isOfDevice { throw Unreached() }
            throw fault.failed(error, to: "connect", within: connector.stepLimit)
        }
    }

    /// Waits until the services of the device are resolved.
    ///
    /// - Returns: the objects of BlueZ at that time.
    private func resolveServices(
        of device: BlueZObjects.Device, _ signals: AsyncThrowingStream<BusSignal, any Error>
    ) async throws -> BlueZObjects {
        let start = try await bluez.objects()
        try await withTimeLimit(connector.stepLimit, throwing: fault.servicesMissing) {
            var tree = start
            var iterator = signals.makeAsyncIterator()
            while true {
                guard let present = tree.device(at: device.path) else { throw fault.removed }
                guard present.isConnected else { throw fault.ended }
                guard !present.hasServices else { return }
                guard let signal = try await iterator.next() else { throw CancellationError() }
                tree.take(signal)
            }
        }
        return try await bluez.objects()
    }

    /// Finds the requested characteristics.
    ///
    /// - Throws: ``ConnectorError`` for a missing one.
    private func characteristics(
        in tree: BlueZObjects, of device: BlueZObjects.Device
    ) throws(ConnectorError) -> [BluetoothItem] {
        var found: [BluetoothItem] = []
        for wanted in connector.characteristics {
            let services = tree.services(wanted.service, of: device)
            if services.isEmpty, let service = wanted.service { throw fault.noService(service) }
            guard let object = tree.characteristic(wanted.characteristic, of: services) else {
                throw fault.noCharacteristic(wanted)
            }
            let item = BluetoothItem(wanted: wanted, object: object)
            guard item.isSubscribed || wanted.interval != nil else {
                throw fault.cannotNotify(wanted)
            }
            found.append(item)
        }
        return found
    }

    /// Calls a method of a characteristic.
    ///
    /// - Parameter step: the action for error messages, such as `notify about the lock`.
    @discardableResult
    private func call(
        _ item: BluetoothItem, _ method: String, _ arguments: [BusValue] = [], to step: String
    ) async throws -> [BusValue] {
        do throws(BusError) {
            return try await bluez.call(
                item.path, BlueZ.characteristic, method, arguments, within: connector.stepLimit)
        } catch {
            // The signal that reports the end of the connection may not have been processed yet.
            if BlueZ.indicatesRemoval(error) { throw fault.ended }
            throw fault.failed(error, to: step, within: connector.stepLimit)
        }
    }
}

extension BluetoothSession {
    /// Scans for the device.
    ///
    /// - Throws: ``ConnectorError`` if it is not found in time.
    func scan(_ adapter: BlueZObjects.Adapter) async throws -> BlueZObjects.Device {
        sink.scanning()
        let signals = bluez.signals(at: nil, beneath: adapter.path)
        let start = try await bluez.objects()
        let filter = BusValue.options(["Transport": .string("le")])
        try await call(adapter, "SetDiscoveryFilter", [filter])
        // Registered before the call, which may take effect even if it is cancelled.
        defer { bluez.send(adapter.path, BlueZ.adapter, "StopDiscovery") }
        try await call(adapter, "StartDiscovery")
        return try await withTimeLimit(connector.scanLimit, throwing: fault.notFound) {
            var tree = start
            for try await signal in signals {
                if let problem = signal.problem(of: adapter) { throw problem }
                if let path = tree.take(signal),
                    let device = tree.device(at: path, connector.target, of: adapter)
                {
                    return device
                }
            }
            throw CancellationError()
        }
    }

    /// Calls a method of an adapter.
    private func call(
        _ adapter: BlueZObjects.Adapter, _ method: String, _ arguments: [BusValue] = []
    ) async throws {
        do throws(BusError) {
            try await bluez.call(
                adapter.path, BlueZ.adapter, method, arguments, within: connector.stepLimit)
        } catch {
            throw fault.failed(error, to: "start scanning", within: connector.stepLimit)
        }
    }

    /// Forwards notifications of the device.
    ///
    /// - Throws: why the connection ended.
    func listen(
        _ signals: AsyncThrowingStream<BusSignal, any Error>, _ items: [BluetoothItem],
        _ feed: BluetoothFeed, of adapter: BlueZObjects.Adapter, _ device: BlueZObjects.Device
    ) async throws {
        let subscribed = Dictionary(grouping: items.filter(\.isSubscribed), by: \.path)
        let paths = Set(items.map(\.path))
        for try await signal in signals {
            if let problem = signal.problem(of: adapter) { throw problem }
            if signal.member == "InterfacesRemoved", let path = signal.arguments.first?.text {
                if path == device.path { throw fault.removed }
                if paths.contains(path) { throw fault.changed }
            }
            guard let change = PropertyChange(signal) else { continue }
            if change.path == device.path, change.changed["Connected"]?.flag == false {
                throw fault.ended
            }
            guard let value = change.changed["Value"] else { continue }
            if let items = subscribed[change.path] {
                feed.take(value.bytes, of: items.map(\.wanted))
            }
        }
        throw CancellationError()
    }

    /// Reads a value once or periodically.
    func read(_ item: BluetoothItem, _ feed: BluetoothFeed) async throws {
        guard let interval = item.wanted.interval else {
            do {
                // Gets the initial value of a device that only notifies about changes.
                let bytes = try await value(of: item)
                if bytes?.isEmpty == false { feed.take(bytes, of: [item.wanted]) }
            } catch let error as ConnectorError {
                sink.warn(error.message)
            }
            return
        }
        while true {
            let start = ContinuousClock.now
            feed.take(try await value(of: item), of: [item.wanted])
            try await Task.sleep(until: start.advanced(by: interval), clock: .continuous)
        }
    }

    private func value(of item: BluetoothItem) async throws -> [UInt8]? {
        try await call(
            item, "ReadValue", [.options([:])], to: "return its \(item.wanted.title)"
        ).first?.bytes
    }
}

extension BusSignal {
    /// The problem if BlueZ ended, or the adapter was removed or switched off.
    func problem(of adapter: BlueZObjects.Adapter) -> BluetoothProblem? {
        switch member {
        case "NameOwnerChanged": .noBlueZ
        case "InterfacesRemoved" where arguments.first?.text == adapter.path:
            .noAdapter(adapter.name)
        case "PropertiesChanged"
        where path == adapter.path && PropertyChange(self)?.changed["Powered"]?.flag == false:
            .off(adapter.name)
        default: nil
        }
    }
}

/// A requested characteristic and its object on the device.
struct BluetoothItem: Hashable, Sendable {
    let wanted: BluetoothCharacteristic
    let object: BlueZObjects.Characteristic

    var path: String { object.path }

    /// Whether the device sends notifications of it.
    var isSubscribed: Bool {
        wanted.interval == nil && !object.flags.isDisjoint(with: ["notify", "indicate"])
    }

    /// Whether it is read, either periodically or once for the initial value.
    var isRead: Bool {
        wanted.interval != nil || wanted.form != nil && object.flags.contains("read")
    }
}
