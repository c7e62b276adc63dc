import DBus

extension BluetoothVisit {
    /// Looks for the device by radio.
    ///
    /// - Throws: ``ConnectorError`` when it is not heard in time.
    func scanned(_ adapter: BlueZTree.Adapter) async throws -> BlueZTree.Device {
        inlet.scanning()
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
        _ adapter: BlueZTree.Adapter, _ method: String, _ arguments: [BusValue] = []
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
        _ feed: BluetoothFeed, of adapter: BlueZTree.Adapter, _ device: BlueZTree.Device
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
                inlet.warn(error.message)
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
        _ signal: BusSignal, _ adapter: BlueZTree.Adapter
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
