import Addresses
import Auth
import Foundation
package import JSApps
import Samples
import Text
import VM

/// The settings of all commands, from `$XDG_CONFIG_HOME/nervous/config.json`.
///
/// Strict JSON: an unknown key is an error with its position, so that a typing error does not
/// silently select the default. A missing file sets nothing.
///
/// ```swift
/// let limits = try Configuration(path: paths.configuration).packages
/// ```
package struct Configuration: Sendable, Equatable {
    /// The limits of a package.
    package var packages = PackageLimits()
    /// The budgets of apps.
    var budgets = BudgetTable()
    /// The maximum number of bytes of the access log.
    var accessLogBudget = AccessLog.standardBudget
    /// The longest time that a collected sample waits to be written.
    package var flush = VirtualMachine.standardFlushInterval
    /// The folder of the JavaScript libraries that apps may load.
    package var libraries = SystemLibraries.standardFolder
    /// The folder of the map tiles that the dashboard draws below routes; `nil` for none.
    package var tiles: String?
    /// The broker that announces sensors; `nil` for none.
    package var mqtt: MQTTSection?
    /// The address of gpsd.
    package var gpsd = GPSDSection()
    /// The address of the NUT server.
    var nut = NUTServer()
    /// Whether GeoClue may find the location, for which it can send the names of networks nearby to a server.
    package var geoclue = false
    /// The listener for the local network; `nil` for none.
    package var localNetwork: LocalNetworkSection?
    /// The program that is asked about privileges before the owner is; `nil` for none.
    package var policyBroker: PolicyBrokerSection?
    /// The lists of privileges that commands name, by their names.
    package var permissionSets: [String: PermissionSet] = [:]

    package init() {}

    /// Reads a file.
    ///
    /// - Throws: `CommandFailure` with code `configuration`.
    package init(path: String) throws(CommandFailure) {
        guard let bytes = try Self.read(path) else {
            self.init()
            return
        }
        do throws(ConfigurationError) {
            try self.init(parsing: bytes)
        } catch {
            throw CommandFailure(
                .configuration, "\(path):\(error.position): \(error.message)",
                hint: "List all settings with: nervous config template",
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
        if let section = fields.take("accessLog") {
            var members = try ConfigurationFields(section, of: "accessLog")
            if let count = try members.take("budgetMiB", 1...1_048_576) {
                accessLogBudget = Int64(count) << 20
            }
            try members.end()
        }
        if let value = fields.take("flush") {
            guard let interval = value.string.flatMap(Self.flushInterval) else {
                throw ConfigurationError(
                    position: value.position, message: "flush \(Self.flushHint)")
            }
            flush = interval
        }
        if let section = fields.take("gpsd") { gpsd = try GPSDSection(section) }
        if let section = fields.take("nut") { nut = try NUTServer(section: section) }
        if let value = fields.take("geoclue") {
            guard let flag = value.bool else {
                throw ConfigurationError(
                    position: value.position, message: "geoclue must be true or false")
            }
            geoclue = flag
        }
        if let path = try Self.folder("libraries", fields.take("libraries")) { libraries = path }
        tiles = try Self.folder("tiles", fields.take("tiles"))
        if let section = fields.take("mqtt") { mqtt = try MQTTSection(section) }
        if let section = fields.take("lan") { localNetwork = try LocalNetworkSection(section) }
        if let section = fields.take("policyBroker") {
            policyBroker = try PolicyBrokerSection(section)
        }
        if let section = fields.take("permissionSets") {
            permissionSets = try PermissionSet.all(section)
        }
        try fields.end()
    }

    /// An absolute path; `nil` if it is not set.
    private static func folder(
        _ key: String, _ value: JSONValue?
    ) throws(ConfigurationError) -> String? {
        guard let value else { return nil }
        guard let path = value.string, path.hasPrefix("/") else {
            throw ConfigurationError(
                position: value.position, message: "\(key) must be an absolute path")
        }
        return path
    }

    /// What ``flushInterval(_:)`` accepts, as the end of a message that begins with the setting's name.
    package static let flushHint = "must be a duration from 0s to 10m, such as 10s"

    /// Parses the interval at which samples are flushed, a duration such as 10s; `nil` if it is not allowed.
    package static func flushInterval(_ span: String) -> Duration? {
        guard let interval = Duration(span: span), interval <= .seconds(600) else { return nil }
        return interval
    }

    /// The bytes of a file; `nil` if there is none.
    static func read(_ path: String) throws(CommandFailure) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            guard let file = FileHandle(forReadingAtPath: path) else {
                throw CocoaError(.fileReadNoPermission)
            }
            return Array(try file.read(upToCount: StrictJSON().maximumBytes + 1) ?? Data())
        } catch {
            throw CommandFailure(
                .configuration, "Cannot read \(path).",
                hint: "Check its permissions: ls -l \(path)", type: "bad-configuration")
        }
    }
}

extension PackageLimits {
    /// Reads the section `packages`.
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

/// The members of one section; a member that is not taken is an error, so none is silently ignored.
struct ConfigurationFields {
    private let section: String
    private var rest: [JSONMember]

    init(_ value: JSONValue, of section: String) throws(ConfigurationError) {
        guard let members = value.object else {
            throw ConfigurationError(
                position: value.position, message: "\(section) must be an object")
        }
        self.section = section
        rest = members
    }

    /// Removes and returns the value of a key; `nil` if it is not set.
    mutating func take(_ key: String) -> JSONValue? {
        guard let index = rest.firstIndex(where: { $0.key == key }) else { return nil }
        return rest.remove(at: index).value
    }

    /// Removes and returns the integer of a key; `nil` if it is not set.
    ///
    /// - Parameter reason: why no smaller number is allowed.
    mutating func take(
        _ key: String, _ range: ClosedRange<Int>, reason: String? = nil
    ) throws(ConfigurationError) -> Int? {
        guard let value = take(key) else { return nil }
        guard let number = value.number?.int64.flatMap({ Int(exactly: $0) }),
            range.contains(number)
        else {
            throw ConfigurationError(
                position: value.position,
                message: "\(key) must be an integer from \(range.lowerBound) to "
                    + "\(range.upperBound)\(reason.map { ": \($0)" } ?? "")")
        }
        return number
    }

    /// Removes and returns the IP address of a key; `nil` if it is not set.
    mutating func takeAddress(_ key: String) throws(ConfigurationError) -> String? {
        guard let value = take(key) else { return nil }
        guard let address = value.string.flatMap({ IPAddress($0) }) else {
            throw ConfigurationError(
                position: value.position, message: "\(key) must be an IP address")
        }
        return address.description
    }

    /// Rejects members that were not taken.
    func end() throws(ConfigurationError) {
        guard let unknown = rest.first else { return }
        throw ConfigurationError(
            position: unknown.position,
            message: "“\(unknown.key.escapedForDisplay(limit: 60))” is not a setting of \(section)")
    }
}

/// An error in a configuration file, with its position.
struct ConfigurationError: Error {
    let position: JSONPosition
    let message: String
}
