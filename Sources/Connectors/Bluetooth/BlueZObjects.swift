import DBus

/// The objects of BlueZ: adapters, devices, and their services and characteristics.
///
/// The content is untrusted: properties of an unexpected type are treated as missing.
struct BlueZObjects: Sendable {
    typealias Properties = [String: BusValue]

    struct Adapter: Hashable, Sendable {
        let path: String
        let isOn: Bool

        /// The name, such as `hci0`.
        var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    }

    struct Device: Hashable, Sendable {
        let path: String
        let isConnected: Bool
        /// Whether it was received by radio recently.
        let isInRange: Bool
        let hasServices: Bool
    }

    struct Characteristic: Hashable, Sendable {
        let path: String
        let flags: Set<String>
    }

    /// The maximum number of objects, however many devices advertise nearby.
    static let limit = 4096

    private var objects: [String: [String: Properties]] = [:]

    /// - Parameter managed: the reply to `GetManagedObjects`.
    init(_ managed: BusValue?) {
        // Adapters have short paths and come first, so that untrusted devices cannot displace them.
        let found = (managed?.members ?? [:]).sorted { $0.key.utf8.count < $1.key.utf8.count }
        for (path, interfaces) in found { add(interfaces, to: path) }
    }

    /// Applies a signal.
    ///
    /// - Returns: the path of the added or changed object, if any.
    @discardableResult
    mutating func take(_ signal: BusSignal) -> String? {
        if let change = PropertyChange(signal) {
            guard objects[change.path]?[change.interface] != nil else { return nil }
            objects[change.path]?[change.interface]?.merge(change.changed) { $1 }
            for gone in change.invalidated { objects[change.path]?[change.interface]?[gone] = nil }
            return change.path
        }
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
        default: return nil
        }
    }

    /// A powered adapter.
    ///
    /// - Throws: ``BluetoothProblem`` if there is none, or it is off.
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

    /// The target device; connected devices and those in range are preferred.
    func device(_ target: BluetoothTarget, of adapter: Adapter) -> Device? {
        let devices = objects.keys.sorted().compactMap { device(at: $0, target, of: adapter) }
        return devices.first(where: \.isConnected) ?? devices.first(where: \.isInRange)
            ?? devices.first
    }

    /// The device at a path if it is the target.
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

    /// The device at a path, if it exists.
    func device(at path: String) -> Device? {
        objects[path]?[BlueZ.device].map {
            Device(
                path: path, isConnected: $0["Connected"]?.flag == true,
                isInRange: $0["RSSI"] != nil,
                hasServices: $0["ServicesResolved"]?.flag == true)
        }
    }

    /// The paths of a device's services with a UUID, or of all its services.
    func services(_ uuid: BluetoothUUID?, of device: Device) -> [String] {
        paths(of: BlueZ.service, uuid, "Device", [device.path])
    }

    /// The first characteristic with a UUID in any of the services.
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
