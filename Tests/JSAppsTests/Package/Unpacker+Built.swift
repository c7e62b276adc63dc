import Foundation
import JSApps

extension Unpacker {
    /// The program as it was built beside the tests.
    static let built = Unpacker(program: program("nervous-unpacker"))

    /// The path of a program that was built beside the tests.
    static func program(_ name: String) -> String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return ((own ?? "") as NSString).deletingLastPathComponent + "/" + name
    }
}
