import Foundation

/// The programs that the package builds, beside the test bundle.
public enum BuiltProgram {
    public static let folder: String = {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return ((own ?? "") as NSString).deletingLastPathComponent
    }()

    /// The path of a program.
    public static func path(_ name: String) -> String { "\(folder)/\(name)" }
}
