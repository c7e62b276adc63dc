import DBus

/// BlueZ, the Bluetooth service of Linux, on the system bus.
///
/// It is addressed by its unique name, so that no other program can answer or send signals in its
/// place, and no service is started.
/// Source: `org.bluez.Adapter(5)`, `org.bluez.Device(5)`, `org.bluez.GattCharacteristic(5)`.
struct BlueZ: Sendable {
    static let name = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let manager = "org.freedesktop.DBus.ObjectManager"

    private let bus: BusConnection
    private let owner: String

    /// - Throws: ``BluetoothProblem`` if there is no bus or no BlueZ; `CancellationError`.
    init(bus address: String) async throws {
        do throws(BusError) {
            bus = try BusConnection(address: address)
        } catch {
            throw BluetoothProblem.noBus(error.message)
        }
        do throws(BusError) {
            owner = try await bus.call(.owner(of: Self.name)).first?.text ?? ""
        } catch {
            await bus.close()
            switch error.code {
            case .cancelled: throw CancellationError()
            case .refused: throw BluetoothProblem.noBlueZ
            default: throw BluetoothProblem.noBus(error.message)
            }
        }
    }

    /// Calls a method of an object.
    ///
    /// - Throws: ``BusError``.
    @discardableResult
    func call(
        _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue] = [],
        within limit: Duration = BusConnection.defaultLimit
    ) async throws(BusError) -> [BusValue] {
        try await bus.call(
            BusCall(owner, path: path, interface: interface, method, arguments), within: limit)
    }

    /// Calls a method and ignores the reply; works in cancelled tasks, too.
    func send(_ path: String, _ interface: String, _ method: String) {
        bus.send(BusCall(owner, path: path, interface: interface, method))
    }

    /// All objects of BlueZ.
    func objects() async throws -> BlueZObjects {
        do throws(BusError) {
            return BlueZObjects(try await call("/", Self.manager, "GetManagedObjects").first)
        } catch {
            throw Self.problem(error) ?? .noBus(error.message)
        }
    }

    /// Signals about added and removed objects, property changes at `path` and beneath `namespace`,
    /// and the end of BlueZ.
    func signals(
        at path: String?, beneath namespace: String
    ) -> AsyncThrowingStream<BusSignal, any Error> {
        let member = "PropertiesChanged"
        var matches = [
            BusMatch(
                sender: owner, namespace: namespace, interface: BusService.properties,
                member: member),
            BusMatch(sender: owner, interface: Self.manager), .owner(of: Self.name),
        ]
        if let path {
            matches.append(
                BusMatch(
                    sender: owner, path: path, interface: BusService.properties, member: member))
        }
        return bus.signals(matches)
    }

    func close() async { await bus.close() }

    /// The problem with Bluetooth as a whole that an error indicates; `nil` if it concerns one
    /// device.
    static func problem(_ error: BusError) -> BluetoothProblem? {
        switch error.name {
        case "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.NoReply":
            return .noBlueZ
        case "org.freedesktop.DBus.Error.AccessDenied": return .notAllowed
        default: return error.code == .unreachable ? .noBus(error.message) : nil
        }
    }

    /// Whether an error indicates that the object no longer exists or is no longer connected.
    static func indicatesRemoval(_ error: BusError) -> Bool {
        let bus = "org.freedesktop.DBus.Error.Unknown"
        return ["\(bus)Object", "\(bus)Interface", "\(bus)Method", "org.bluez.Error.NotConnected"]
            .contains(error.name)
    }
}
