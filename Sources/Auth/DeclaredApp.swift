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

    /// The privileges as they are kept: one a line, the origins of `net` behind it.
    var declaration: String {
        let lines = privileges.map { privilege in
            guard case .net(let origins) = privilege.resource else {
                return privilege.id.description
            }
            return ([privilege.id.description] + origins).joined(separator: " ")
        }
        return ((asksAtFirstUse ? [Self.atFirstUse] : []) + lines).joined(separator: "\n")
    }

    static func asksAtFirstUse(_ declaration: String) -> Bool {
        declaration.hasPrefix(atFirstUse)
    }

    /// Reads privileges as `declaration` writes them; a line that means nothing is left out.
    static func privileges(in declaration: String) -> [Privilege] {
        declaration.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard let id = words.first.flatMap({ PrivilegeID($0) }) else { return nil }
            if let sensor = id.sensor, let access = id.access {
                return Privilege(.sensor(sensor, access), reason: "")
            }
            let resource: Privilege.Resource =
                switch id {
                case .net: .net(Array(words.dropFirst()))
                case .storage: .storage
                case .identity: .identity
                default: .notify
                }
            return Privilege(resource, reason: "")
        }
    }
}
