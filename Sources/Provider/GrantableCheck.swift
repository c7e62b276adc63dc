import Auth
import HTTPTypes
import Samples
import VM

/// Whether this host could give what somebody wants to grant.
struct GrantableCheck: Sendable {
    let machine: VirtualMachine

    /// - Throws: `Problem` for a privilege that nothing here serves, or a sensor that nobody knows.
    func callAsFunction(_ privilege: PrivilegeID) async throws {
        guard let sensor = privilege.sensor else {
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
