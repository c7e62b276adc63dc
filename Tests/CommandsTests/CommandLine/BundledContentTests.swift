import Foundation
import TestSupport
import Testing

/// The apps and sensor packs that come with Nervous, by name.
@Suite(.blocking)
struct BundledContentTests {
    private struct List: Decodable {
        struct Item: Decodable {
            let name: String
            let title: String?
            let installed: Bool
            let installedVersion: String?
            let sensor: String?
        }
        let items: [Item]
    }

    private static func list(_ words: String..., in sandbox: Sandbox) throws -> [List.Item] {
        let call = try sandbox.nervous(words + ["--available", "--json"])
        try #require(call.code == 0, "\(call.errors)")
        return try JSONDecoder().decode(List.self, from: Data(call.output.utf8)).items
    }

    @Test func `a bundled app is installed by its name and listed as installed`() throws {
        let sandbox = try Sandbox()
        let before = try Self.list("apps", in: sandbox)
        #expect(before.map(\.name) == BundledAppsTests.names)
        #expect(before.allSatisfy { !$0.installed && $0.title != nil })
        let call = try sandbox.nervous("install", "hello-sensors")
        #expect(call.code == 0, "\(call.errors)")
        #expect(call.output.hasPrefix("Installed hello-sensors 1.0.0."))
        let after = try Self.list("apps", in: sandbox).filter(\.installed)
        #expect(after.map(\.name) == ["hello-sensors"])
        #expect(after.first?.installedVersion == "1.0.0")
        let table = try sandbox.nervous("apps", "--available")
        #expect(table.output.contains(/hello-sensors +1\.0\.0 +1\.0\.0 +Hello, sensors/))
        #expect(table.output.contains(/load-watch +1[0-9.]+ +–/))
        #expect(table.errors == "Install one with: nervous install NAME\n")
    }

    @Test func `run takes the bundled app if none of the name is installed, and says so`() throws {
        let sandbox = try Sandbox()
        let words = ["run", "hello-sensors", "--allow-all"]
        let first = try sandbox.nervous(words)
        #expect(first.code == 0, "\(first.errors)")
        #expect(
            first.errors.hasPrefix(
                "hello-sensors is not installed: taking the bundled app.\nInstalled hello-sensors"))
        #expect(first.output.contains("Hello! This is what I may use:"))
        let second = try sandbox.nervous(words)
        #expect(second.code == 0)
        #expect(!second.errors.contains("bundled"))
    }

    @Test func `run prefers the installed app to the bundled one of its name`() throws {
        let sandbox = try Sandbox()
        let folder = try sandbox.app(
            "console.log('mine')", manifest: ["name": "hello-sensors", "version": "9"])
        let named = sandbox.path("hello-sensors")
        try FileManager.default.moveItem(atPath: folder, toPath: named)
        #expect(try sandbox.nervous("install", named).code == 0)
        #expect(try sandbox.nervous("run", "hello-sensors").output.contains("mine"))
    }

    @Test func `a file or folder precedes a bundled app of its name`() throws {
        let sandbox = try Sandbox()
        let folder = try sandbox.app(
            "console.log('mine')", manifest: ["name": "hello-sensors", "version": "9"])
        try FileManager.default.moveItem(atPath: folder, toPath: sandbox.path("hello-sensors"))
        func nervous(_ words: String...) throws -> Invocation {
            try Invocation(
                Binary.nervous, words, environment: sandbox.environment, directory: sandbox.root)
        }
        // A bare word never runs a folder: it could be anyone's.
        let run = try nervous("run", "hello-sensors")
        #expect(run.code == 66)
        #expect(run.errors.contains("hint: To run the folder: nervous run ./hello-sensors"))
        #expect(sandbox.installedFiles.allSatisfy { !$0.contains("hello-sensors") })
        #expect(
            try nervous("install", "hello-sensors").output.hasPrefix("Installed hello-sensors 9."))
    }

    @Test(arguments: [
        (["run", "helo-sensors"], "the name of a bundled app: denied-demo, "),
        (["install", "helo-sensors"], "the name of a bundled app: denied-demo, "),
        (["install", "./hello-sensors"], "the name of a bundled app: denied-demo, "),
        (["sensors", "install", "wether"], "the name of a bundled sensor pack: climate-ble, "),
    ])
    func `an unknown name is refused with the names that exist`(
        words: [String], names: String
    ) throws {
        let sandbox = try Sandbox()
        let call = try sandbox.nervous(words)
        #expect(call.code == 66)
        #expect(call.errors.split(separator: "\n").last?.hasPrefix("hint: ") == true)
        #expect(call.errors.contains(names), "\(call.errors)")
    }

    @Test func `a name does not lead out of the folder of the bundled apps`() throws {
        let sandbox = try Sandbox()
        for word in ["..", ".", "", "hello-sensors/../load-watch", "jsapps"] {
            let call = try Invocation(
                Binary.nervous, ["run", word, "--allow-all"], environment: sandbox.environment,
                directory: sandbox.path("home"))
            #expect(call.code != 0, "\(word)")
            #expect(call.output.isEmpty, "\(word)")
        }
    }

    @Test func `a replay installs no bundled app`() throws {
        let sandbox = try Sandbox()
        let trace = sandbox.path("short.trace")
        let record = try sandbox.nervous("record", "load", "--for", "2s", "-o", trace)
        try #require(record.code == 0, "\(record.errors)")
        let run = try sandbox.nervous(
            "run", "load-watch", "--replay", trace, "--speed", "max", "--allow-all")
        #expect(run.code == 66)
        #expect(run.errors.contains("hint: Install it with: nervous install load-watch"))
        #expect(!sandbox.installedFiles.contains { $0.contains("load-watch") })
    }

    @Test func `a bundled sensor pack is installed by its name and listed as installed`() throws {
        let sandbox = try Sandbox()
        let before = try Self.list("sensors", "packs", in: sandbox)
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: "\(Binary.repository)/sensorpacks")
        #expect(before.map(\.name) == folders.sorted())
        #expect(before.allSatisfy { !$0.installed && $0.sensor != nil })
        let install = try sandbox.nervous("sensors", "install", "weather-station", "--yes")
        #expect(install.code == 0, "\(install.errors)")
        let after = try Self.list("sensors", "packs", in: sandbox).filter(\.installed)
        #expect(after.map(\.name) == ["weather-station"])
        let table = try sandbox.nervous("sensors", "packs", "--available").output
        #expect(table.contains(/weather-station +[a-z.]+ +yes/))
    }
}
