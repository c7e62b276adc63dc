import Foundation

extension Sandbox {
    /// The folder of an app of one script.
    ///
    /// - Parameter manifest: the members of its `package.json`; by default it declares the
    ///   processor.
    func app(_ script: String, manifest: [String: Any]? = nil) throws -> String {
        let folder = path("demo")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let manifest =
            manifest ?? [
                "name": "demo", "version": "1",
                "privileges": [["sensor": "cpu", "reason": "test"]],
            ]
        let json = try JSONSerialization.data(withJSONObject: manifest)
        try json.write(to: URL(filePath: "\(folder)/package.json"))
        for (name, text) in ["app.js": script, "app.html": "<p>demo</p>"] {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        return folder
    }
}
