import DBus

/// One connection to a device: finding it, connecting, and what it tells until the end.
///
/// Whatever is begun is told to end when it is left, however that happens.
struct BluetoothVisit: Sendable {
    let connector: BluetoothConnector
    let bluez: BlueZ
    let inlet: Inlet

    var fault: BluetoothFault { BluetoothFault(place: connector.place) }

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
        _ device: BlueZTree.Device, of adapter: BlueZTree.Adapter, isGuess: Bool = false
    ) async throws {
        inlet.connecting()
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
        inlet.connected()
        let feed = BluetoothFeed(connector, inlet)
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
    private func connect(_ device: BlueZTree.Device, isGuess: Bool) async throws -> Bool {
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
        _ device: BlueZTree.Device, _ signals: AsyncThrowingStream<BusSignal, any Error>
    ) async throws -> BlueZTree {
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
        in tree: BlueZTree, of device: BlueZTree.Device
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
