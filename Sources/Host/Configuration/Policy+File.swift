package import Auth
import Foundation
import Text

/// Reads `policy.json` of the machine and of the owner.
///
/// ```json
/// { "restricted": ["sensor:camera", "sensor:location:raw", "net"] }
/// ```
///
/// Strict JSON, like `config.json`. A missing file restricts nothing; a file that cannot be read or
/// parsed keeps the host from starting, since its restrictions are unknown.
extension Policy {
    /// Merges the restrictions of those files that exist.
    ///
    /// - Throws: `CommandFailure` with code `configuration`.
    package init(files: [String]) throws(CommandFailure) {
        self.init()
        for file in files {
            guard let bytes = try Self.read(file) else { continue }
            do throws(ConfigurationError) {
                restrictions += try Self.restrictions(parsing: bytes, from: file)
            } catch {
                throw CommandFailure(
                    .configuration, "\(file):\(error.position): \(error.message)",
                    hint: "See docs/policy.md for the privileges that a policy can block.",
                    type: "bad-policy")
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
                    message:
                        "\(shown ?? "the value") is not a privilege, such as sensor:camera or net")
            }
            restrictions.append(restriction)
        }
        return restrictions
    }

    private static func read(_ path: String) throws(CommandFailure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        // A file that this user cannot access may restrict something; only a missing one does not.
        if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return nil }
        do {
            guard descriptor >= 0 else { throw CocoaError(.fileReadNoPermission) }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            return Array(try file.read(upToCount: StrictJSON().maximumBytes + 1) ?? Data())
        } catch {
            throw CommandFailure(
                .configuration, "Cannot read \(path).",
                hint: "Check its permissions: ls -l \(path)", type: "bad-policy")
        }
    }
}
