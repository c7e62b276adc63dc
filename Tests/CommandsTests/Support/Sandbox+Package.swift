import Foundation

extension Sandbox {
    /// The bytes of a small valid package.
    func package(
        _ name: String = "demo", version: String = "1.0.0", script: String? = nil
    ) throws -> [UInt8] {
        let file = path("\(name)-\(UUID().uuidString).zip")
        try ZipWriter.write(
            [
                "\(name)/package.json": #"{"name":"\#(name)","version":"\#(version)"}"#,
                "\(name)/app.js": script ?? "console.log('\(version)')", "\(name)/app.html": "",
                "\(name)/grün 名前.txt": "x",
            ], to: file)
        defer { try? FileManager.default.removeItem(atPath: file) }
        return Array(try Data(contentsOf: URL(filePath: file)))
    }
}
