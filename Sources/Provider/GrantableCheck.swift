import API
import Auth
import HTTPTypes
import Samples
import VM

/// Whether this host could give what somebody wants to grant.
struct GrantableCheck: Sendable {
    let machine: VirtualMachine

    /// Whether there is something to ask for: a sensor that is here and can be read or published.
    func isAvailable(_ privilege: PrivilegeID) async -> Bool {
        guard let sensor = privilege.sensor else { return privilege.isGivable }
        if let status = await machine.status(of: sensor) {
            return status.state == .available || status.newest != nil
        }
        return await !machine.instances(of: sensor).isEmpty
    }

    /// The sensors that a privilege is about, of those that are here or have left samples.
    func instances(of privilege: PrivilegeID) async -> [SensorID] {
        guard let kind = privilege.sensor else { return [] }
        var found: [SensorID] = []
        for sensor in await machine.instances(of: kind) {
            let one = await machine.status(of: sensor)
            if one?.state == .available || one?.newest != nil { found.append(sensor) }
        }
        return found
    }

    /// The choice that names make; what else there is now was passed over, unless that is said.
    ///
    /// - Throws: `Problem` for a name that is not that of a sensor here.
    func choice(
        _ only: [String], passingOver others: [String]?, of privilege: PrivilegeID
    ) async throws -> InstanceChoice {
        var chosen: [SensorID] = []
        for name in only {
            let sensor = try Self.sensor(name)
            guard await machine.status(of: sensor) != nil else { throw Problem(unknown: sensor) }
            chosen.append(sensor)
        }
        let passedOver = try others.map { try $0.map(Self.sensor) }
        if let passedOver { return InstanceChoice(chosen, passingOver: passedOver) }
        return InstanceChoice(chosen, passingOver: await instances(of: privilege))
    }

    private static func sensor(_ name: String) throws -> SensorID {
        guard let sensor = SensorID(name) else {
            throw Problem.invalidBody(
                "\(name.prefix(80).debugDescription) is not a sensor's name.")
        }
        return sensor
    }

    /// - Throws: `Problem` for a privilege that nothing here serves, or a sensor that nobody knows.
    func callAsFunction(_ privilege: PrivilegeID) async throws {
        guard let sensor = privilege.sensor else {
            guard !privilege.isGivable else { return }
            throw Problem(
                .unsupportedPrivilege,
                "This version of the host cannot give \(privilege) to anybody.")
        }
        let isKnown = await machine.status(of: sensor) != nil
        let instances = await machine.instances(of: sensor)
        guard isKnown || !instances.isEmpty else { throw Problem(unknown: sensor) }
    }
}
