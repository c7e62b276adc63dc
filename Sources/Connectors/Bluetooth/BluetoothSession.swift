import DBus

/// One connection to a device: finding it, connecting, and what it tells until the end.
///
/// Whatever is begun is told to end when it is left, however that happens.
struct BluetoothSession: Sendable {
    let connector: BluetoothConnector
    let bluez: BlueZ
    let sink: SampleSink

    var fault: BluetoothErrors { BluetoothErrors(place: connector.place) }

    /// Returns never but with an error.
    ///
    /// - Throws: ``ConnectorError``, ``BluetoothProblem``, ``BusError`` or `CancellationError`.
    func run() async throws {
        let tree = try await bluez.objects()
        let adapter = try tree.adapter(named: connector.adapter)
        guard let known = tree.device(connector.target, of: adapter) else {
            return try await use(try await scanned(adapter), of: adapter)
        }
        // One that was not heard of late may be far, or have another address by now.
        let isGuess = connector.target.isName && !known.isConnected && !known.isHeard
        do {
            try await use(known, of: adapter, isGuess: isGuess)
        } catch is Unreached {
            try await use(try await scanned(adapter), of: adapter)
        }
    }

    /// A device that was only a guess cannot be connected to.
    private struct Unreached: Error {}

    // MARK: - Steps

    private func use(
        _ device: BlueZObjects.Device, of adapter: BlueZObjects.Adapter, isGuess: Bool = false
    ) async throws {
        sink.connecting()
        let signals = bluez.signals(at: adapter.path, beneath: device.path)
        var isOurs = !device.isConnected
        // Somebody else may use it, too: it goes on for those who had it before.
        defer { if isOurs { bluez.send(device.path, BlueZ.device, "Disconnect") } }
        if isOurs { isOurs = try await connect(device, isGuess: isGuess) }
        let tree = try await resolved(device, signals)
        let found = try characteristics(in: tree, of: device)
        var subscribed: [String] = []
        defer { for path in subscribed { bluez.send(path, BlueZ.characteristic, "StopNotify") } }
        for item in found where item.isSubscribed && !subscribed.contains(item.path) {
            subscribed.append(item.path)
            try await ask(item, "StartNotify", to: "tell of \(item.wanted.title)")
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
            // The first that fails ends the others, however long they would sleep.
            while try await group.next() != nil {}
        }
    }

    /// - Returns: whether it is connected for this program alone.
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

    /// Waits until the device has told its services.
    ///
    /// - Returns: what BlueZ knows then.
    private func resolved(
        _ device: BlueZObjects.Device, _ signals: AsyncThrowingStream<BusSignal, any Error>
    ) async throws -> BlueZObjects {
        let start = try await bluez.objects()
        try await TimeLimit(connector.stepLimit, else: fault.hidesServices).hold {
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

    /// Where the wanted characteristics are.
    ///
    /// - Throws: ``ConnectorError`` that names the one that is missing.
    private func characteristics(
        in tree: BlueZObjects, of device: BlueZObjects.Device
    ) throws(ConnectorError) -> [BluetoothItem] {
        var found: [BluetoothItem] = []
        for wanted in connector.characteristics {
            let services = tree.services(wanted.service, of: device)
            if services.isEmpty, let service = wanted.service { throw fault.noService(service) }
            guard let there = tree.characteristic(wanted.characteristic, of: services) else {
                throw fault.noCharacteristic(wanted)
            }
            let item = BluetoothItem(wanted: wanted, there: there)
            guard item.isSubscribed || wanted.interval != nil else { throw fault.isMute(wanted) }
            found.append(item)
        }
        return found
    }

    /// Calls a method of a characteristic.
    ///
    /// - Parameter step: what the device is to do, such as `tell of the lock`.
    @discardableResult
    func ask(
        _ item: BluetoothItem, _ method: String, _ arguments: [BusValue] = [], to step: String
    ) async throws -> [BusValue] {
        do throws(BusError) {
            return try await bluez.call(
                item.path, BlueZ.characteristic, method, arguments, within: connector.stepLimit)
        } catch {
            // The signal that says so may not have been looked at yet.
            if BlueZ.hasGone(error) { throw fault.ended }
            throw fault.failed(error, to: step, within: connector.stepLimit)
        }
    }
}

extension BluetoothSession {
    /// Looks for the device by radio.
    ///
    /// - Throws: ``ConnectorError`` when it is not heard in time.
    func scanned(_ adapter: BlueZObjects.Adapter) async throws -> BlueZObjects.Device {
        sink.scanning()
        let signals = bluez.signals(at: nil, beneath: adapter.path)
        let start = try await bluez.objects()
        let filter = BusValue.options(["Transport": .string("le")])
        try await look(adapter, "SetDiscoveryFilter", [filter])
        // From here on, since a call that is cancelled may have been heard.
        defer { bluez.send(adapter.path, BlueZ.adapter, "StopDiscovery") }
        try await look(adapter, "StartDiscovery")
        return try await TimeLimit(connector.scanLimit, else: fault.outOfSight).hold {
            var tree = start
            for try await signal in signals {
                try check(signal, adapter)
                if let path = tree.take(signal),
                    let device = tree.device(at: path, connector.target, of: adapter)
                {
                    return device
                }
            }
            throw CancellationError()
        }
    }

    private func look(
        _ adapter: BlueZObjects.Adapter, _ method: String, _ arguments: [BusValue] = []
    ) async throws {
        do throws(BusError) {
            try await bluez.call(
                adapter.path, BlueZ.adapter, method, arguments, within: connector.stepLimit)
        } catch {
            throw fault.failed(error, to: "be looked for", within: connector.stepLimit)
        }
    }

    /// Hands on what the device tells.
    ///
    /// - Throws: why it tells no more.
    func listen(
        _ signals: AsyncThrowingStream<BusSignal, any Error>, _ items: [BluetoothItem],
        _ feed: BluetoothFeed, of adapter: BlueZObjects.Adapter, _ device: BlueZObjects.Device
    ) async throws {
        let told = Dictionary(grouping: items.filter(\.isSubscribed), by: \.path)
        let paths = Set(items.map(\.path))
        for try await signal in signals {
            try check(signal, adapter)
            if signal.member == "InterfacesRemoved", let path = signal.arguments.first?.text {
                if path == device.path { throw fault.removed }
                if paths.contains(path) { throw fault.changed }
            }
            guard let changed = signal.changes else { continue }
            if signal.path == device.path, changed["Connected"]?.flag == false { throw fault.ended }
            guard let value = changed["Value"] else { continue }
            for item in told[signal.path] ?? [] { feed.take(value.bytes, of: item.wanted) }
        }
        throw CancellationError()
    }

    /// Asks for a value, once or again and again.
    func read(_ item: BluetoothItem, _ feed: BluetoothFeed) async throws {
        guard let interval = item.wanted.interval else {
            do {
                // A device that tells only of changes tells here how it stands.
                let bytes = try await value(of: item)
                if bytes?.isEmpty == false { feed.take(bytes, of: item.wanted) }
            } catch let error as ConnectorError {
                sink.warn(error.message)
            }
            return
        }
        while true {
            let start = ContinuousClock.now
            feed.take(try await value(of: item), of: item.wanted)
            try await Task.sleep(until: start.advanced(by: interval), clock: .continuous)
        }
    }

    private func value(of item: BluetoothItem) async throws -> [UInt8]? {
        try await ask(
            item, "ReadValue", [.options([:])], to: "let its \(item.wanted.title) be read"
        ).first?.bytes
    }

    /// - Throws: ``BluetoothProblem`` where a signal says that BlueZ or the adapter has gone.
    private func check(
        _ signal: BusSignal, _ adapter: BlueZObjects.Adapter
    ) throws(BluetoothProblem) {
        switch signal.member {
        case "NameOwnerChanged": throw .noBlueZ
        case "InterfacesRemoved" where signal.arguments.first?.text == adapter.path:
            throw .noAdapter(adapter.name)
        case "PropertiesChanged" where signal.path == adapter.path:
            if signal.changes?["Powered"]?.flag == false { throw .off(adapter.name) }
        default: break
        }
    }
}

extension BusSignal {
    /// The properties that it says have changed; `nil` for another signal.
    fileprivate var changes: [String: BusValue]? {
        guard member == "PropertiesChanged", arguments.count >= 2 else { return nil }
        return arguments[1].members
    }
}

/// A wanted characteristic, and where it is on the device.
struct BluetoothItem: Hashable, Sendable {
    let wanted: BluetoothCharacteristic
    let there: BlueZObjects.Characteristic

    var path: String { there.path }

    /// Whether the device tells of it by itself.
    var isSubscribed: Bool {
        wanted.interval == nil && !there.flags.isDisjoint(with: ["notify", "indicate"])
    }

    /// Whether it is asked for: again and again, or once, for the value that it has at the beginning.
    var isRead: Bool {
        wanted.interval != nil || wanted.form != nil && there.flags.contains("read")
    }
}
