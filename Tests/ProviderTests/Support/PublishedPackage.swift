import Auth
import Foundation
import JSApps

/// A typical package of the second generation.
enum PublishedPackage {
    static func bytes(
        _ name: String = "Old One", folder top: String = "Old-One-master", page: String = "<p>x",
        script: String = "App.load('home')", files: [String: [UInt8]] = [:], more: String = "",
        in folder: URL
    ) throws -> [UInt8] {
        let place = folder.appending(path: "packing-\(UUID().uuidString)/\(top)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let texts = [
            "package.json":
                #"{"name": "\#(name)", "version": "1.0.0", \#(more) "keywords": ["axon",],}"#,
            "axon.js": script, "axon.html": page,
        ]
        for (path, bytes) in files.merging(
            texts.mapValues { Array($0.utf8) }, uniquingKeysWith: { own, _ in own })
        {
            let file = place.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
        return try Packer().pack(place)
    }
}

extension ServedHost {
    /// Installs a nervousnet app as `old-one`.
    func installPublished(
        page: String = "<p>x", script: String = "App.load('home')", files: [String: [UInt8]] = [:]
    ) async throws {
        let bytes = try PublishedPackage.bytes(
            page: page, script: script, files: files, in: folder)
        let answer = try await send(Call("POST", "/api/v1/apps", token: owner, body: bytes))
        guard answer.status == 201 else { throw Answer.NotHTTP(text: answer.text) }
    }

    /// Declares a sensor whose samples a test publishes.
    func declareSensor(_ sensor: String, fields: [(name: String, kind: String)]) async throws {
        let list = fields.map { #"{"name": "\#($0.name)", "kind": "\#($0.kind)"}"# }
        let answer = try await send(
            Call(
                "PUT", "/api/v1/sensors/\(sensor)", token: owner,
                json: #"{"title": "Test", "fields": [\#(list.joined(separator: ","))]}"#))
        guard answer.status == 201 else { throw Answer.NotHTTP(text: answer.text) }
    }

    /// Declares a sensor of numbers.
    func declareSensor(_ sensor: String, numbers: String...) async throws {
        try await declareSensor(sensor, fields: numbers.map { ($0, "number") })
    }

    /// Publishes a sample, or a list of them, as JSON.
    func feedSensor(_ json: String, to sensor: String) async throws {
        let answer = try await send(
            Call("POST", "/api/v1/sensors/\(sensor)/samples", token: owner, json: json))
        guard answer.status == 201 else { throw Answer.NotHTTP(text: answer.text) }
    }
}
