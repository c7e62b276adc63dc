import Foundation
import TestSupport
import Testing

/// Catalogues on the command line: making, adding, searching, installing and updating.
@Suite(.blocking)
struct CatalogueTests {
    private let sandbox: Sandbox
    private let app: AppFolder
    private let folder: String

    init() throws {
        sandbox = try Sandbox()
        app = try AppFolder(sandbox)
        folder = sandbox.path("catalogue")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(try sandbox.nervous("keys", "create", "home").code == 0)
    }

    /// Packs the app and makes the catalogue.
    private func publish(_ version: String, asks privileges: String = "[]") throws {
        try app.set(version, asks: privileges)
        let pack = try sandbox.nervous("pack", app.path, "--output", "\(folder)/my-app.zip")
        #expect(pack.code == 0, "\(pack.errors)")
        let made = try sandbox.nervous(
            "catalogue", "make", folder, "--sign", "home", "--name", "example")
        #expect(made.code == 0, "\(made.errors)")
    }

    private func bytes(_ file: String) -> [UInt8] {
        FileManager.default.contents(atPath: "\(folder)/\(file)").map { Array($0) } ?? []
    }

    /// A server of the folder.
    private func server() throws -> ScriptedServer {
        let folder = folder
        return try ScriptedServer { connection in
            let file = FileManager.default.contents(atPath: folder + connection.target)
            connection.answer(
                file.map { Array($0) } ?? [], status: file == nil ? "404 Not Found" : "200 OK")
        }
    }

    @Test func `an app is found, shown, installed and updated from a server`() throws {
        try publish("1.0.0", asks: #"["memory"]"#)
        let server = try server()
        let added = try sandbox.nervous("catalogue", "add", server.url("/"), "--key", "home")
        #expect(added.code == 0, "\(added.errors)")
        #expect(added.output == "Added example, 1 package.\n")
        #expect(try sandbox.nervous("catalogue").output.contains("example"))
        let found = try sandbox.nervous("apps", "search", "MY-app")
        #expect(found.output.contains("my-app") && !found.output.contains("hello-sensors"))
        let info = try sandbox.nervous("apps", "info", "my-app", "--json")
        #expect(info.output.contains(#""catalogue":"example""#), "\(info.output)")
        let dry = try sandbox.nervous("apps", "install", "my-app", "--dry-run")
        #expect(dry.code == 0 && dry.output.contains("Would install my-app 1.0.0."))
        #expect(sandbox.installedFiles.isEmpty)
        let install = try sandbox.nervous("apps", "install", "my-app")
        #expect(install.code == 0, "\(install.errors)")
        #expect(install.output.contains("Installed my-app 1.0.0."))
        #expect(try sandbox.nervous("apps", "update").errors.contains("No app has an update."))

        try publish("1.1.0", asks: #"["memory", "cpu"]"#)
        let list = try sandbox.nervous("apps", "update")
        #expect(list.code == 0, "\(list.errors)")
        #expect(list.output.contains(/my-app +1\.0\.0 +1\.1\.0/), "\(list.output)")
        // It is never applied alone.
        #expect(try sandbox.nervous("apps", "my-app").output.hasPrefix("my-app 1.0.0"))
        let unconfirmed = try sandbox.nervous("apps", "update", "my-app")
        #expect(unconfirmed.code == 77, "\(unconfirmed.errors)")
        #expect(try sandbox.nervous("apps", "my-app").output.hasPrefix("my-app 1.0.0"))
        let shown = try sandbox.nervous("apps", "update", "my-app", "--dry-run")
        #expect(shown.output.contains("my-app 1.0.0 → 1.1.0"), "\(shown.output)")
        #expect(shown.output.contains("+ sensor:cpu (asked at the next run)"))
        #expect(shown.output.contains("Size: "))
        let updated = try sandbox.nervous("apps", "update", "my-app", "--yes")
        #expect(updated.code == 0, "\(updated.errors)")
        #expect(try sandbox.nervous("apps", "my-app").output.hasPrefix("my-app 1.1.0"))
        #expect(try sandbox.nervous("catalogue", "remove", "example").code == 0)
        #expect(try sandbox.nervous("apps", "info", "my-app").code == 66)
    }

    @Test func `a catalogue is made deterministically, in editions`() throws {
        try publish("1.0.0")
        let (index, signature) = (bytes("index.json"), bytes("index.json.sig"))
        try publish("1.0.0")
        #expect(bytes("index.json") == index && bytes("index.json.sig") == signature)
        try publish("1.1.0")
        let text = String(decoding: bytes("index.json"), as: UTF8.self)
        #expect(text.contains("\"sequence\": 2,"))
        let again = try sandbox.nervous(
            "catalogue", "make", folder, "--sign", "home", "--sequence", "2")
        #expect(again.code == 65, "\(again.errors)")
        #expect(try sandbox.nervous("keys", "create", "other").code == 0)
        let foreign = try sandbox.nervous("catalogue", "make", folder, "--sign", "other")
        #expect(foreign.code == 65)
        #expect(bytes("index.json") == Array(text.utf8))
    }

    @Test func `another key, an older edition and a missing prompt are refused`() throws {
        try publish("1.0.0")
        let (index, signature) = (bytes("index.json"), bytes("index.json.sig"))
        let unconfirmed = try sandbox.nervous("catalogue", "add", folder)
        #expect(unconfirmed.code == 77 && unconfirmed.errors.contains("--key"))
        try publish("1.1.0")
        #expect(try sandbox.nervous("keys", "create", "other").code == 0)
        let wrong = try sandbox.nervous("catalogue", "add", folder, "--key", "other")
        #expect(wrong.code == 65, "\(wrong.errors)")
        #expect(try sandbox.nervous("catalogue").output.isEmpty)
        #expect(try sandbox.nervous("catalogue", "add", folder, "--key", "home").code == 0)
        try Data(index).write(to: URL(filePath: "\(folder)/index.json"))
        try Data(signature).write(to: URL(filePath: "\(folder)/index.json.sig"))
        let older = try sandbox.nervous("apps", "update", "--json")
        #expect(older.code == 65, "\(older.errors)")
        #expect(older.errors.contains(#""type":"stale-catalogue""#), "\(older.errors)")
        #expect(try sandbox.nervous("apps", "info", "my-app").output.contains("my-app 1.1.0"))
    }

    @Test func `an endless index and an endless package leave nothing behind`() throws {
        try publish("1.0.0")
        let folder = folder
        let server = try ScriptedServer { connection in
            if connection.target.hasSuffix(".zip") || connection.target.hasPrefix("/endless") {
                connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
                while connection.send([UInt8](repeating: 0x20, count: 1 << 16)) {}
            } else {
                let file = FileManager.default.contents(atPath: folder + connection.target)
                connection.answer(file.map { Array($0) } ?? [])
            }
        }
        let endless = try sandbox.nervous(
            "catalogue", "add", server.url("/endless/"), "--key", "home")
        #expect(endless.code != 0)
        #expect(try sandbox.nervous("catalogue").output.isEmpty)
        #expect(
            try sandbox.nervous("catalogue", "add", server.url("/"), "--key", "home").code == 0)
        let install = try sandbox.nervous("apps", "install", "my-app", "--json")
        #expect(install.code == 65, "\(install.errors)")
        #expect(install.errors.contains(#""type":"too-large""#), "\(install.errors)")
        #expect(sandbox.installedFiles.isEmpty)
    }

    @Test func `bundled packages are the first catalogue`() throws {
        let all = try sandbox.nervous("apps", "search", "--json")
        #expect(all.code == 0, "\(all.errors)")
        #expect(all.output.contains(#""catalogue":"bundled""#))
        #expect(all.output.contains("weather-station"))
        let install = try sandbox.nervous("apps", "install", "hello-sensors")
        #expect(install.code == 0, "\(install.errors)")
        let pack = try sandbox.nervous("apps", "install", "weather-station")
        #expect(pack.code == 64 && pack.errors.contains("nervous sensors install"))
        #expect(try sandbox.nervous("apps", "install", "no-such-app").code == 66)
    }
}
