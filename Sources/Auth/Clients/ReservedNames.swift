/// The names that neither an app nor a client of the owner can get.
///
/// They have another meaning where a client's name is used: in paths of the API, before `.localhost`, as an
/// argument of a command, in the access log, or as the first word of a message, which would look like a
/// message of the host. Security does not depend on this list: owners, apps and programs are distinguished by
/// ``Client/kind``, also in a data directory that has such a name from an earlier version.
///
/// ```swift
/// guard !ReservedNames.contains(name) else { throw UsageError() }
/// ```
public enum ReservedNames {
    /// All of them, sorted.
    public static var all: [String] { names.sorted() }

    /// Whether a name is reserved, whatever its case.
    public static func contains(_ name: String) -> Bool {
        names.contains(name.lowercased())
    }

    private static let names: Set<String> = Set(
        people + programs + machine + messages + paths + arguments)

    /// Words for users, in the access log and in messages.
    private static let people = [
        "administrator", "anonymous", "everybody", "everyone", "me", "nobody", "owner",
        "root", "superuser", "user", "you",
    ]

    /// This program and its parts.
    private static let programs = [
        "nervous", "nervous-runner", "nervous-unpacker", "nervousnet",
    ]

    /// The machine and its operating system.
    private static let machine = [
        "daemon", "host", "kernel", "local", "localdomain", "localhost", "machine", "security",
        "system", "systemd", "this-host", "this-machine", "www",
    ]

    /// The labels of messages.
    private static let messages = [
        "error", "fatal", "fix", "hint", "note", "notice", "refused", "usage", "warning",
    ]

    /// The first parts of paths.
    private static let paths = [
        "api", "dashboard", "health", "launch", "nervous-api", "nervous-resources",
        "nervousnet-api", "openapi", "settings",
    ]

    /// Words that replace a client's name in commands and responses.
    private static let arguments = [
        "all", "any", "create", "default", "deny", "export", "grant", "help", "list", "more",
        "none", "null", "reset", "revoke",
    ]
}
