import AppRuns
import Foundation
import JSApps
import RunnerProtocol

/// A script that is bundled when this is built, found beside the programs where installing and building
/// put it.
enum CompanionScript {
    /// Where the build puts what belongs to this module.
    private static let built = "nervous_Host.resources"

    /// The path of a library; `nil` where this was built without it.
    static func path(of library: RunnerLibrary) -> String? {
        guard
            let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else { return nil }
        let folder = (own as NSString).deletingLastPathComponent
        return ["\(folder)/\(built)", "\(folder)/../libexec/nervous"]
            .map { "\($0)/\(library).js" }
            .first(where: FileManager.default.isReadableFile)
    }

    /// All that are there.
    static var libraries: RunLibraries {
        var texts: [RunnerLibrary: [UInt8]] = [:]
        for library in RunnerLibrary.allCases {
            guard let path = path(of: library),
                let text = FileManager.default.contents(atPath: path)
            else { continue }
            texts[library] = Array(text)
        }
        return RunLibraries(texts)
    }
}
