public import Text

/// Why a declared privilege is not one, and where it stands.
public struct PrivilegeSyntaxError: Error, Sendable, Hashable {
    public let position: JSONPosition
    /// One clause without a full stop; every text of the app in it is escaped.
    public let message: String

    init(at position: JSONPosition, _ message: String) {
        self.position = position
        self.message = message
    }
}

extension String {
    /// A stranger's text in quotes, escaped and cut to 60 columns.
    var quotedForDisplay: String { "\"\(escapedForDisplay(limit: 60))\"" }
}
