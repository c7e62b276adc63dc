package import Text

/// The settings that are in effect: those in `config.json`, and the defaults of all others.
///
/// No setting is a secret: passwords are in files of their own, of which only the paths are known here.
///
/// ```swift
/// for setting in try EffectiveConfiguration(path: paths.configuration).settings where !setting.isDefault {
///     print(setting.name)
/// }
/// ```
package struct EffectiveConfiguration: Sendable {
    /// A setting and its value.
    package struct Setting: Sendable, Encodable {
        /// Its keys from the outermost section on: `budgets.fetch.requestKiB`.
        package let name: String
        /// `null` if it has none.
        package let value: JSONValue
        /// Whether the file does not set it.
        package let isDefault: Bool

        private enum CodingKeys: String, CodingKey {
            case name
            case value
            case isDefault = "default"
        }
    }

    /// All settings, section by section; of the settings for single apps, only those in the file.
    package let settings: [Setting]

    /// Reads a file; a missing one sets nothing.
    ///
    /// - Throws: `CommandFailure` with code `configuration`.
    package init(path: String) throws(CommandFailure) {
        let configuration = try Configuration(path: path)
        let bytes = try Configuration.read(path) ?? Array("{}".utf8)
        self.init(configuration, from: bytes)
    }

    /// - Parameter bytes: the file that `configuration` was read from.
    init(_ configuration: Configuration, from bytes: [UInt8]) {
        let root = try? StrictJSON(allowsTrailingCommas: true).parse(bytes)
        let set = root.map { Self.leaves(of: $0, named: "") } ?? []
        let names = Set(set.map(\.name))
        var settings: [Setting] = []
        for setting in ConfigurationSetting.all {
            let inner = set.filter { $0.name.hasPrefix(setting.name + ".") }
            if inner.isEmpty {
                settings.append(
                    Setting(
                        name: setting.name,
                        value: setting.value(in: configuration) ?? JSONValue(.null),
                        isDefault: !names.contains(setting.name)))
            } else {
                settings += inner.map {
                    Setting(name: $0.name, value: $0.value, isDefault: false)
                }
            }
        }
        self.settings = settings
    }

    /// The values in an object that are not objects themselves, with the keys that lead to them.
    private static func leaves(
        of value: JSONValue, named name: String
    ) -> [(name: String, value: JSONValue)] {
        guard let members = value.object else { return [(name, value)] }
        return members.flatMap { member in
            leaves(of: member.value, named: name.isEmpty ? member.key : "\(name).\(member.key)")
        }
    }
}
