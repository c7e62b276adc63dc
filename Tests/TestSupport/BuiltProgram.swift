import Foundation

/// The programs as the package built them, beside the tests.
public enum BuiltProgram {
    public static let folder: String = {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return ((own ?? "") as NSString).deletingLastPathComponent
    }()

    /// The path of one of them.
    public static func path(_ name: String) -> String { "\(folder)/\(name)" }
}
