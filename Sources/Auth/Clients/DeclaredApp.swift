import Addresses

/// An app's name, identity and declared privileges.
public struct DeclaredApp: Hashable, Sendable {
    /// Unique among installed apps.
    public let name: String
    /// The identity that decisions and stored values belong to; an app of another identity does not
    /// inherit them.
    public let identity: String
    /// The declared privileges, without their reasons.
    public let privileges: [Privilege]
    /// Whether it declares nothing (a nervousnet app), so that the owner is asked at first use.
    public let asksAtFirstUse: Bool

    /// - Parameter asksAtFirstUse: whether the owner is asked when the app first uses something.
    public init(
        name: String, identity: String, privileges: [Privilege], asksAtFirstUse: Bool = false
    ) {
        self.name = name
        self.identity = identity
        self.privileges = privileges.map { Privilege($0.resource, reason: "") }
        self.asksAtFirstUse = asksAtFirstUse
    }

    /// The line that encodes ``asksAtFirstUse``.
    private static let atFirstUse = "at-first-use"

    /// The privileges as stored: one per line, with the pin of an origin after a space.
    var declaration: String {
        let lines = privileges.map { privilege in
            guard case .net(_, let pin?) = privilege.resource else {
                return privilege.id.description
            }
            return "\(privilege.id) \(pin)"
        }
        return ((asksAtFirstUse ? [Self.atFirstUse] : []) + lines).joined(separator: "\n")
    }

    static func asksAtFirstUse(_ declaration: String) -> Bool {
        declaration.hasPrefix(atFirstUse)
    }

    /// Reads the form of `declaration`; skips lines that are not a privilege.
    static func privileges(in declaration: String) -> [Privilege] {
        declaration.split(separator: "\n").flatMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard let id = words.first.flatMap({ PrivilegeID($0) }) else { return [Privilege]() }
            let rest = words.dropFirst()
            let pin = rest.first.flatMap { CertificatePin($0) }
            if let resource = Privilege.Resource(id, pin: pin) {
                return [Privilege(resource, reason: "")]
            }
            // Earlier versions stored all origins in one line.
            return rest.compactMap { WebOrigin($0) }
                .map { Privilege(.net($0, pin: nil), reason: "") }
        }
    }
}
