import Foundation

extension String {
    /// This text as one word for a shell.
    var shellQuoted: String {
        "'\(replacing("'", with: "'\\''"))'"
    }
}
