/// The name of an app in kebab-case: `^[a-z0-9]+(-[a-z0-9]+)*$`, 1 to 64 characters.
///
/// It is the name of the app's folder, of its origin in the browser and in every command.
public struct AppName: Sendable, Hashable {
    /// The name itself.
    public let text: String

    /// Checks a name; `nil` where it is not kebab-case or too long.
    public init?(_ text: String) {
        let words = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isKebabCase = words.allSatisfy { word in
            !word.isEmpty
                && word.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                }
        }
        guard isKebabCase, text.utf8.count <= 64 else { return nil }
        self.text = text
    }
}

extension AppName: CustomStringConvertible {
    /// The name itself.
    public var description: String { text }
}

extension AppName: Comparable {
    /// Orders names by their letters.
    public static func < (one: AppName, other: AppName) -> Bool { one.text < other.text }
}
