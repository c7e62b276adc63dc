import DBus

/// What BlueZ has told of its objects: adapters, devices, and their services and characteristics.
///
/// All of it is of strangers: what is not of the expected type is as if it were not there.
struct BlueZObjects: Sendable {
    typealias Properties = [String: BusValue]

    struct Adapter: Hashable, Sendable {
        let path: String
        let isOn: Bool

        /// Such as `hci0`.
        var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    }

    struct Device: Hashable, Sendable {
        let path: String
        let isConnected: Bool
        /// Whether it was heard by radio not long ago.
        let isHeard: Bool
        let hasServices: Bool
    }

    struct Characteristic: Hashable, Sendable {
        let path: String
        let flags: Set<String>
    }

    /// More are not kept, however many names somebody near sends out.
    static let limit = 4096

    private var objects: [String: [String: Properties]] = [:]

    /// - Parameter managed: the answer of `GetManagedObjects`.
    init(_ managed: BusValue?) {
        // Adapters have short paths, and come first: no stranger's device takes their place.
        let found = (managed?.members ?? [:]).sorted { $0.key.utf8.count < $1.key.utf8.count }
        for (path, interfaces) in found { add(interfaces, to: path) }
    }

    /// Takes what a signal tells.
    ///
    /// - Returns: the path of the object that came or changed; `nil` where none did.
    @discardableResult
    mutating func take(_ signal: BusSignal) -> String? {
        let arguments = signal.arguments
        switch (signal.interface, signal.member, arguments.count) {
        case (BlueZ.manager, "InterfacesAdded", 2...):
            guard let path = arguments[0].text else { return nil }
            add(arguments[1], to: path)
            return path
        case (BlueZ.manager, "InterfacesRemoved", 2...):
            guard let path = arguments[0].text else { return nil }
            for interface in arguments[1].texts ?? [] { objects[path]?[interface] = nil }
            if objects[path]?.isEmpty == true { objects[path] = nil }
            return nil
        case (BlueZ.properties, "PropertiesChanged", 2...):
            guard let interface = arguments[0].text, let changed = arguments[1].members,
                objects[signal.path]?[interface] != nil
            else { return nil }
            objects[signal.path]?[interface]?.merge(changed) { $1 }
            for gone in arguments.dropFirst(2).first?.texts ?? [] {
                objects[signal.path]?[interface]?[gone] = nil
            }
            return signal.path
        default: return nil
        }
    }

    /// An adapter that is on.
    ///
    /// - Throws: ``BluetoothProblem`` where there is none, or it is off.
    func adapter(named name: String?) throws(BluetoothProblem) -> Adapter {
        let adapters = objects.compactMap { path, interfaces in
            interfaces[BlueZ.adapter].map {
                Adapter(path: path, isOn: $0["Powered"]?.flag == true)
            }
        }.filter { name == nil || $0.name == name }.sorted { $0.path < $1.path }
        guard let first = adapters.first else { throw .noAdapter(name) }
        guard let found = adapters.first(where: \.isOn) else { throw .off(first.name) }
        return found
    }

    /// The device that is meant, rather one that is connected or was heard.
    func device(_ target: BluetoothTarget, of adapter: Adapter) -> Device? {
        let devices = objects.keys.sorted().compactMap { device(at: $0, target, of: adapter) }
        return devices.first(where: \.isConnected) ?? devices.first(where: \.isHeard)
            ?? devices.first
    }

    /// The device at a path, where it is the one that is meant.
    func device(
        at path: String, _ target: BluetoothTarget, of adapter: Adapter
    ) -> Device? {
        guard let properties = objects[path]?[BlueZ.device],
            properties["Adapter"]?.text == adapter.path
        else { return nil }
        switch target {
        case .address(let address): guard properties["Address"]?.text == address else { return nil }
        case .name(let name):
            guard properties["Name"]?.text == name || properties["Alias"]?.text == name else {
                return nil
            }
        }
        return device(at: path)
    }

    /// The device at a path; `nil` when it is not there any more.
    func device(at path: String) -> Device? {
        objects[path]?[BlueZ.device].map {
            Device(
                path: path, isConnected: $0["Connected"]?.flag == true, isHeard: $0["RSSI"] != nil,
                hasServices: $0["ServicesResolved"]?.flag == true)
        }
    }

    /// The paths of services of a device, of all where none is named.
    func services(_ uuid: BluetoothUUID?, of device: Device) -> [String] {
        paths(of: BlueZ.service, uuid, "Device", [device.path])
    }

    /// The first characteristic of that name in one of some services.
    func characteristic(_ uuid: BluetoothUUID, of services: [String]) -> Characteristic? {
        paths(of: BlueZ.characteristic, uuid, "Service", services).first.map {
            let flags = objects[$0]?[BlueZ.characteristic]?["Flags"]?.texts
            return Characteristic(path: $0, flags: Set(flags ?? []))
        }
    }

    private func paths(
        of interface: String, _ uuid: BluetoothUUID?, _ parent: String, _ parents: [String]
    ) -> [String] {
        objects.filter { _, interfaces in
            guard let properties = interfaces[interface] else { return false }
            return (uuid == nil || properties["UUID"]?.text?.lowercased() == uuid?.full)
                && properties[parent]?.text.map(parents.contains) == true
        }.keys.sorted()
    }

    private mutating func add(_ interfaces: BusValue, to path: String) {
        guard objects[path] != nil || objects.count < Self.limit else { return }
        for (interface, properties) in interfaces.members ?? [:] {
            objects[path, default: [:]][interface] = properties.members ?? [:]
        }
    }
}
