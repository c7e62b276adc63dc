import Auth
import Samples
import Text

/// A named list of privileges in `config.json`, which commands allow and deny with `-P NAME`.
///
/// ```json
/// "permissionSets": { "weather": { "allow": ["sensor:temperature"], "deny": ["net"] } }
/// ```
package struct PermissionSet: Sendable, Equatable {
    /// The maximum number of sets, and of privileges of each list of one.
    static let limit = 100

    /// Privileges such as `sensor:cpu`, or `sensor:network=network.eth0` for some sensors of a kind.
    package var allow: [String]
    /// Privileges that are denied, also if `allow` contains them.
    package var deny: [String]

    package init(allow: [String] = [], deny: [String] = []) {
        (self.allow, self.deny) = (allow, deny)
    }

    /// Reads the section `permissionSets`.
    static func all(_ section: JSONValue) throws(ConfigurationError) -> [String: PermissionSet] {
        guard let members = section.object, members.count <= limit else {
            throw ConfigurationError(
                position: section.position,
                message: "permissionSets must be an object with at most \(limit) sets")
        }
        var sets: [String: PermissionSet] = [:]
        for member in members {
            guard SensorID(member.key) != nil, !member.key.contains(".") else {
                throw ConfigurationError(
                    position: member.position,
                    message: "the name of a permission set is in kebab-case, such as weather")
            }
            var fields = try ConfigurationFields(member.value, of: "a permission set")
            sets[member.key] = PermissionSet(
                allow: try list("allow", fields.take("allow"), withChoice: true),
                deny: try list("deny", fields.take("deny"), withChoice: false))
            try fields.end()
        }
        return sets
    }

    private static func list(
        _ name: String, _ value: JSONValue?, withChoice: Bool
    ) throws(ConfigurationError) -> [String] {
        guard let value else { return [] }
        guard let items = value.array, items.count <= limit else {
            throw ConfigurationError(
                position: value.position,
                message: "\(name) must be a list of at most \(limit) privileges")
        }
        var texts: [String] = []
        for item in items {
            guard let text = item.string, isPrivilege(text, withChoice: withChoice) else {
                throw ConfigurationError(
                    position: item.position,
                    message: "\(name) must contain privileges such as sensor:cpu")
            }
            texts.append(text)
        }
        return texts
    }

    /// Whether a text is a privilege, or one with sensors of its kind.
    private static func isPrivilege(_ text: String, withChoice: Bool) -> Bool {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let privilege = PrivilegeID(String(parts[0])) else { return false }
        guard parts.count > 1 else { return true }
        guard withChoice, let kind = privilege.sensor else { return false }
        return parts[1].split(separator: ",", omittingEmptySubsequences: false)
            .allSatisfy { SensorID(String($0)).map(kind.covers) ?? false }
    }

    /// The set as in the file.
    var json: JSONValue {
        func list(_ texts: [String]) -> JSONValue { JSONValue(texts.map { JSONValue($0) }) }
        return JSONValue(["allow": list(allow), "deny": list(deny)])
    }
}

extension Configuration {
    /// The privileges of some sets together.
    ///
    /// - Throws: `CommandFailure` for an unknown name.
    package func permissions(inSets names: [String]) throws(CommandFailure) -> PermissionSet {
        var whole = PermissionSet()
        for name in names {
            guard let set = permissionSets[name] else {
                let known = permissionSets.keys.sorted().joined(separator: ", ")
                throw CommandFailure(
                    .usage,
                    "There is no permission set named \(name.escapedForDisplay(limit: 60)).",
                    hint: known.isEmpty
                        ? "Add it to permissionSets in config.json; see: nervous config template"
                        : "The sets of config.json are: \(known)")
            }
            whole.allow += set.allow
            whole.deny += set.deny
        }
        return whole
    }
}
