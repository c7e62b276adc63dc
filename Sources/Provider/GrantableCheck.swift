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

    /// - Throws: `Problem` for a privilege that nothing here serves, or a sensor that nobody knows.
    func callAsFunction(_ privilege: PrivilegeID) async throws {
        guard let sensor = privilege.sensor else {
            guard !privilege.isGivable else { return }
            throw Problem(
                status: .unprocessableContent, code: "unsupported-privilege",
                title: "The privilege cannot be given",
                detail: "This version of the host cannot give \(privilege) to anybody.")
        }
        let isKnown = await machine.status(of: sensor) != nil
        let instances = await machine.instances(of: sensor)
        guard isKnown || !instances.isEmpty else { throw Problem(unknown: sensor) }
    }
}
