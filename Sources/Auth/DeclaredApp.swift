import Addresses

/// An app as far as permission is concerned: who it is, and what it declares.
public struct DeclaredApp: Hashable, Sendable {
    public let name: String
    /// What decisions about the app are bound to; another identity inherits none of them.
    public let identity: String
    /// What it declares, without its reasons.
    public let privileges: [Privilege]
    /// Whether it was written before apps declared anything: it is asked for what it uses then.
    public let asksAtFirstUse: Bool

    public init(
        name: String, identity: String, privileges: [Privilege], asksAtFirstUse: Bool = false
    ) {
        self.name = name
        self.identity = identity
        self.privileges = privileges.map { Privilege($0.resource, reason: "") }
        self.asksAtFirstUse = asksAtFirstUse
    }
}

extension DeclaredApp {
    /// The line that stands for ``asksAtFirstUse``.
    private static let atFirstUse = "at-first-use"

    /// The privileges as they are kept: one a line, the pin of an origin behind it.
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

    /// Reads privileges as `declaration` writes them; a line that means nothing is left out.
    static func privileges(in declaration: String) -> [Privilege] {
        declaration.split(separator: "\n").flatMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard let id = words.first.flatMap({ PrivilegeID($0) }) else { return [Privilege]() }
            let rest = words.dropFirst()
            if let sensor = id.sensor, let access = id.access {
                return [Privilege(.sensor(sensor, access), reason: "")]
            }
            if let origin = id.origin {
                let pin = rest.first.flatMap { CertificatePin($0) }
                return [Privilege(.net(origin, pin: pin), reason: "")]
            }
            return switch id {
            // An earlier version kept all origins in one line.
            case .net:
                rest.compactMap { WebOrigin($0) }.map { Privilege(.net($0, pin: nil), reason: "") }
            case .storage: [Privilege(.storage, reason: "")]
            case .identity: [Privilege(.identity, reason: "")]
            default: [Privilege(.notify, reason: "")]
            }
        }
    }
}
