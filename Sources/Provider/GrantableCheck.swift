import API
import Auth
import HTTPTypes
import Samples
import VM

/// Checks whether this host can grant a privilege.
struct GrantableCheck: Sendable {
    let machine: VirtualMachine

    /// Whether the privilege is worth a prompt: for a sensor, that it exists.
    func isAvailable(_ privilege: PrivilegeID) async -> Bool {
        guard let sensor = privilege.sensor else { return privilege.isGivable }
        if let status = await machine.status(of: sensor) {
            return status.state == .available || status.newest != nil
        }
        return await !machine.instances(of: sensor).isEmpty
    }

    /// The sensors of a privilege that are available or have samples.
    func instances(of privilege: PrivilegeID) async -> [SensorID] {
        guard let kind = privilege.sensor else { return [] }
        var found: [SensorID] = []
        for sensor in await machine.instances(of: kind) {
            let one = await machine.status(of: sensor)
            if one?.state == .available || one?.newest != nil { found.append(sensor) }
        }
        return found
    }

    /// The choice of the named sensors.
    ///
    /// - Parameter others: the excluded sensors; `nil` for all others that exist now.
    /// - Throws: `Problem` for an unknown sensor.
    func choice(
        _ only: [String], passingOver others: [String]?, of privilege: PrivilegeID
    ) async throws -> InstanceChoice {
        var chosen: [SensorID] = []
        for name in only {
            let sensor = try Self.sensor(name)
            guard await machine.status(of: sensor) != nil else { throw Problem(unknown: sensor) }
            chosen.append(sensor)
        }
        let excluded = try others.map { try $0.map(Self.sensor) }
        if let excluded { return InstanceChoice(chosen, passingOver: excluded) }
        return InstanceChoice(chosen, passingOver: await instances(of: privilege))
    }

    private static func sensor(_ name: String) throws -> SensorID {
        guard let sensor = SensorID(name) else {
            throw Problem.invalidBody(
                "\(name.prefix(80).debugDescription) is not a sensor's name.")
        }
        return sensor
    }

    /// - Throws: `Problem` for a privilege that this host cannot grant, or an unknown sensor.
    func callAsFunction(_ privilege: PrivilegeID) async throws {
        guard let sensor = privilege.sensor else {
            guard !privilege.isGivable else { return }
            throw Problem(
                .unsupportedPrivilege,
                "This version of the host cannot grant \(privilege).")
        }
        let isKnown = await machine.status(of: sensor) != nil
        let instances = await machine.instances(of: sensor)
        guard isKnown || !instances.isEmpty else { throw Problem(unknown: sensor) }
    }
}
