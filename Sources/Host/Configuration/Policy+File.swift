import Auth
import Foundation
import Text

/// What a person or a machine's administrator has written into `policy.json`.
///
/// ```json
/// { "restricted": ["sensor:camera", "sensor:location:raw", "net"] }
/// ```
///
/// Strict JSON, as `config.json` is. A file that is not there restricts nothing; one that cannot be read or
/// understood keeps the host from starting, since what it restricts is not known.
extension Policy {
    /// Reads what is there of some files; what any of them restricts is restricted.
    ///
    /// - Throws: `CommandFailure` with code `configuration`.
    init(files: [String]) throws(CommandFailure) {
        self.init()
        for file in files {
            guard let bytes = try Self.read(file) else { continue }
            do throws(ConfigurationError) {
                restrictions += try Self.restrictions(parsing: bytes, from: file)
            } catch {
                throw CommandFailure(
                    .configuration, "\(file):\(error.position): \(error.message)",
                    hint: "See what can be restricted: the README's “Policy”.", type: "bad-policy")
            }
        }
    }

    static func restrictions(
        parsing bytes: [UInt8], from file: String
    ) throws(ConfigurationError) -> [Restriction] {
        let root: JSONValue
        do throws(JSONSyntaxError) {
            root = try StrictJSON(allowsTrailingCommas: true).parse(bytes)
        } catch {
            throw ConfigurationError(position: error.position, message: error.message)
        }
        var fields = try ConfigurationFields(root, of: "the policy")
        let list = fields.take("restricted")
        try fields.end()
        guard let list else { return [] }
        guard let values = list.array else {
            throw ConfigurationError(
                position: list.position, message: "restricted must be a list of privileges")
        }
        var restrictions: [Restriction] = []
        for value in values {
            guard let text = value.string, let restriction = Restriction(text, file: file) else {
                let shown = value.string.map { "“\($0.escapedForDisplay(limit: 60))”" }
                throw ConfigurationError(
                    position: value.position,
                    message: "\(shown ?? "this") is not a privilege, such as sensor:camera or net")
            }
            restrictions.append(restriction)
        }
        return restrictions
    }

    private static func read(_ path: String) throws(CommandFailure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        // A file that is hidden from this user may restrict something: only none restricts nothing.
        if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return nil }
        do {
            guard descriptor >= 0 else { throw CocoaError(.fileReadNoPermission) }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            return Array(try file.read(upToCount: StrictJSON().maximumBytes + 1) ?? Data())
        } catch {
            throw CommandFailure(
                .configuration, "\(path) cannot be read.",
                hint: "Check its permissions: ls -l \(path)", type: "bad-policy")
        }
    }
}
