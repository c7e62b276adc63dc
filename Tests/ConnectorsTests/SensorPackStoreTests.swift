import Foundation
import Samples
import Testing

@testable import Connectors

struct SensorPackStoreTests {
    private static let id: SensorID = "balcony"

    private static func pack(_ title: String) -> [UInt8] {
        Array(
            """
            {
              "id": "balcony", "title": "\(title)",
              "fields": [{ "name": "temperature", "unit": "Cel" }],
              "source": { "kind": "http-poll", "url": "http://127.0.0.1:1/", "every": "1h" },
              "payload": { "format": "json" }
            }
            """.utf8)
    }

    /// Runs `body` with the path of a folder that does not exist yet.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "store-\(UUID().uuidString)").path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body("\(folder)/sensor-packs")
    }

    @Test func `a pack is stored with mode 0600 and loaded again`() throws {
        try withFolder { folder in
            let store = SensorPackStore(folder: folder)
            #expect(try store.install(Self.pack("Before")).isNew)
            #expect(try !store.install(Self.pack("After")).isNew)
            let files = FileManager.default
            #expect(try files.contentsOfDirectory(atPath: folder) == ["balcony.json"])
            for (path, mode) in [(folder, 0o700), ("\(folder)/balcony.json", 0o600)] {
                let attributes = try files.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == mode)
            }
            let again = SensorPackStore(folder: folder)
            #expect(again.packs.map(\.title) == ["After"])
            #expect(again.text(of: Self.id) == Self.pack("After"))
            #expect(try again.remove(Self.id))
            #expect(SensorPackStore(folder: folder).packs.isEmpty)
        }
    }

    @Test func `sensors of one store share a server's rate limit, also after a restart`() throws {
        try withFolder { folder in
            func budgets(_ store: SensorPackStore) -> [HostRateLimiter] {
                store.packs.compactMap { ($0.connector as? PollConnector)?.budget }
            }
            let store = SensorPackStore(folder: folder)
            for id in ["balcony", "garden"] {
                let text = String(decoding: Self.pack("Air"), as: UTF8.self)
                _ = try store.install(Array(text.replacing("balcony", with: id).utf8))
            }
            let again = SensorPackStore(folder: folder)
            for store in [store, again] {
                let found = budgets(store)
                #expect(found.count == 2 && found.first === found.last)
            }
            #expect(budgets(store).first !== budgets(again).first)
        }
    }

    @Test func `a pack that cannot be stored is not installed, and no pack is lost`() throws {
        try withFolder { folder in
            let store = SensorPackStore(folder: folder)
            _ = try store.install(Self.pack("Before"))
            // A folder with the name of the file prevents writing it.
            let path = "\(folder)/balcony.json"
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            #expect(throws: PackError.self) { try store.install(Self.pack("After")) }
            #expect(store.packs.map(\.title) == ["Before"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["balcony.json"])
        }
    }
}
