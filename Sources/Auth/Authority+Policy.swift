/// What nobody is given on this machine.
extension Authority {
    /// What the policy of this host keeps from everybody.
    public var policy: Policy { permissions.policy }

    /// Passes what the policy leaves to the person.
    ///
    /// - Throws: `restricted` for what nobody may be given; it names the file, and so is for the owner.
    public func checkRestriction(of privilege: PrivilegeID) throws(AuthError) {
        guard let restriction = policy.restriction(of: privilege) else { return }
        throw AuthError(
            .restricted,
            "Nobody is given \(privilege) on this machine: \(restriction.file) restricts"
                + " \(restriction.privilege).",
            hint: "Take it out of \(restriction.file), and start the host again.",
            privilege: privilege)
    }

    /// Why an app does not get what nobody is given; where the file is, is not for it to know.
    func restricted(
        _ privilege: PrivilegeID, _ client: Client, operation: String,
        request: AccessRequest? = nil
    ) async -> AuthError {
        let message =
            "\(client.name) may not use \(privilege): nobody is given it on this machine."
        await log.refuse(
            request, operation: operation, client: client.name,
            privilege: request == nil ? privilege : nil, reason: message)
        return AuthError(
            .restricted, message, hint: "See which policy restricts it: nervous permissions",
            privilege: privilege)
    }
}
