import Auth
import Foundation
import JSApps
import Text

/// What a person has set for every command, in `$XDG_CONFIG_HOME/nervous/config.json`.
///
/// Strict JSON: a key that means nothing is an error with its place, so that a slip is seen and not
/// silently the default. A file that is not there sets nothing.
struct Configuration: Sendable, Equatable {
    /// How large a package may be.
    var packages = PackageLimits()
    /// What each app may use, by its name; the others what the section says of all.
    var budgets = BudgetTable()
    /// The folder of the JavaScript libraries that apps may load.
    var libraries = SystemLibraries.standardFolder
    /// The broker where sensors are announced; `nil` for none.
    var mqtt: MQTTSection?
    /// Where gpsd listens.
    var gpsd = GPSDPlace()

    init() {}

    /// Reads a file.
    ///
    /// - Throws: `CommandFailure` with code `configuration`.
    init(path: String) throws(CommandFailure) {
        guard let bytes = try Self.read(path) else {
            self.init()
            return
        }
        do throws(ConfigurationError) {
            try self.init(parsing: bytes)
        } catch {
            throw CommandFailure(
                .configuration, "\(path):\(error.position): \(error.message)",
                hint: "See what can be set: the README's “Configuration”.",
                type: "bad-configuration")
        }
    }

    init(parsing bytes: [UInt8]) throws(ConfigurationError) {
        let root: JSONValue
        do throws(JSONSyntaxError) {
            root = try StrictJSON(allowsTrailingCommas: true).parse(bytes)
        } catch {
            throw ConfigurationError(position: error.position, message: error.message)
        }
        var fields = try ConfigurationFields(root, of: "the configuration")
        if let section = fields.take("packages") { packages = try PackageLimits(section) }
        if let section = fields.take("budgets") { budgets = try BudgetTable(section) }
        if let section = fields.take("gpsd") { gpsd = try GPSDPlace(section) }
        if let value = fields.take("libraries") {
            guard let path = value.string, path.hasPrefix("/") else {
                throw ConfigurationError(
                    position: value.position, message: "libraries must be an absolute path")
            }
            libraries = path
        }
        if let section = fields.take("mqtt") { mqtt = try MQTTSection(section) }
        try fields.end()
    }

    private static func read(_ path: String) throws(CommandFailure) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            guard let file = FileHandle(forReadingAtPath: path) else {
                throw CocoaError(.fileReadNoPermission)
            }
            return Array(try file.read(upToCount: StrictJSON().maximumBytes + 1) ?? Data())
        } catch {
            throw CommandFailure(
                .configuration, "\(path) cannot be read.",
                hint: "Check its permissions: ls -l \(path)", type: "bad-configuration")
        }
    }
}

extension PackageLimits {
    /// Reads the section `packages`; what is not set keeps its default.
    fileprivate init(_ section: JSONValue) throws(ConfigurationError) {
        self.init()
        var fields = try ConfigurationFields(section, of: "packages")
        let mebibyte = 1 << 20
        if let count = try fields.take("archiveMiB", 1...256) { archiveBytes = count * mebibyte }
        if let count = try fields.take("unpackedMiB", 1...512) { unpackedBytes = count * mebibyte }
        if let count = try fields.take("fileMiB", 1...256) { fileBytes = count * mebibyte }
        if let count = try fields.take("entries", 3...10_000) { entries = count }
        if let count = try fields.take("pathBytes", 16...1024) { pathBytes = count }
        if let count = try fields.take("depth", 2...64) { depth = count }
        try fields.end()
    }
}
