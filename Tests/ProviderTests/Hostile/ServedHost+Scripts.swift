import Auth
import Foundation
import JSApps

extension ServedHost {
    /// Installs an app of one script.
    func install(
        _ name: String, script: String, privileges: String = #"["gauge"]"#
    ) async throws {
        let place = folder.appending(path: "scripts/\(name)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let manifest =
            #"{"name": "\#(name)", "version": "1.0.0", "privileges": \#(privileges)}"#
        try Data(manifest.utf8).write(to: place.appending(path: "package.json"))
        try Data(script.utf8).write(to: place.appending(path: "app.js"))
        try Data("<title>x</title>".utf8).write(to: place.appending(path: "app.html"))
        let app = try await library.install(from: place)
        try await authority.admit(app.declared)
    }
}
