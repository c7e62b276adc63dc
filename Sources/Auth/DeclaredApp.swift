/// An app as far as permission is concerned: who it is, and what it declares.
public struct DeclaredApp: Hashable, Sendable {
    public let name: String
    /// What decisions about the app are bound to; another identity inherits none of them.
    public let identity: String
    /// What it declares, without its reasons.
    public let privileges: [Privilege]

    public init(name: String, identity: String, privileges: [Privilege]) {
        self.name = name
        self.identity = identity
        self.privileges = privileges.map { Privilege($0.resource, reason: "") }
    }
}

extension DeclaredApp {
    /// The privileges as they are kept: one a line, the origins of `net` behind it.
    var declaration: String {
        privileges.map { privilege in
            guard case .net(let origins) = privilege.resource else {
                return privilege.id.description
            }
            return ([privilege.id.description] + origins).joined(separator: " ")
        }.joined(separator: "\n")
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
                id == .net ? .net(Array(words.dropFirst())) : id == .storage ? .storage : .notify
            return Privilege(resource, reason: "")
        }
    }
}
