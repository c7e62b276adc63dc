import Foundation
import TestSupport
import Testing

/// `nervous support-bundle` with the built program.
@Suite(.blocking)
struct SupportBundleTests {
    private let sandbox: Sandbox
    private let bundle: String

    init() throws {
        sandbox = try Sandbox()
        bundle = sandbox.path("bundle.tar")
    }

    private func write(_ text: String, to name: String) throws {
        let path = sandbox.path(name)
        try FileManager.default.createDirectory(
            atPath: URL(filePath: path).deletingLastPathComponent().path,
            withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Every kind of secret that the configuration, packs and the data directory can contain.
    private func plantSecrets() throws -> String {
        try write(
            """
            {"mqtt": {"host": "127.0.0.1", "port": 1, "username": "planted-user",
             "passwordFile": "/etc/broker-password"}}
            """, to: "home/.config/nervous/config.json")
        let mqtt = """
            {"kind": "mqtt", "host": "127.0.0.1", "port": 1, "username": "planted-user",
             "password": "planted-password", "clientID": "planted-client", "topic": "planted-topic"}
            """
        let poll = """
            {"kind": "http", "url": "https://127.0.0.1:1/planted-path?key=planted-query",
             "headers": {"Authorization": "Bearer planted-bearer", "X-Number": "planted-number"}}
            """
        let command = #"{"kind": "command", "command": ["/bin/true", "planted-argument"]}"#
        let bluetooth =
            #"{"kind": "bluetooth", "name": "planted-name", "address": "planted-address"}"#
        for (number, source) in [mqtt, poll, command, bluetooth].enumerated() {
            try write(
                #"{"id": "x.a\#(number)", "title": "planted-title", "source": \#(source)}"#,
                to: "data/sensor-packs/x.a\(number).json")
        }
        chmod(sandbox.data, 0o700)
        let added = try sandbox.nervous("sensors", "add", "diary", "--field", "note::text")
        #expect(added.code == 0, "\(added.errors)")
        try write("t,note\n1,planted-sample\n", to: "in.csv")
        #expect(
            try sandbox.nervous("import", sandbox.path("in.csv"), "--sensor", "diary").code == 0)
        let token = try sandbox.nervous("token", "create", "planted-program")
        let text = try #require(token.output.firstMatch(of: /nvs_[A-Za-z0-9_\-]+/))
        return String(text.output)
    }

    private func content() throws -> String {
        let tar = try Invocation(
            "/usr/bin/tar", ["-xOf", bundle], environment: sandbox.environment)
        #expect(tar.code == 0, "\(tar.errors)")
        return tar.output
    }

    @Test(arguments: [true, false])
    func `a bundle has facts, and no sample, token or secret`(isServing: Bool) throws {
        let token = try plantSecrets()
        let host = isServing ? try ServingHost(sandbox) : nil
        let call = try sandbox.nervous("support-bundle", bundle, "--yes")
        #expect(call.code == 0, "\(call.errors)")
        let mode = try FileManager.default.attributesOfItem(atPath: bundle)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        let text = try content()
        for fact in [
            "\"127.0.0.1\"", "/etc/broker-password", "https://127.0.0.1:1", "\"check\": ",
            "\"kernel\": ", "samples.sqlite",
            isServing ? "\"collecting\": true" : "no host is running",
        ] {
            #expect(text.contains(fact), "\(fact)")
        }
        let raw = String(decoding: try Data(contentsOf: URL(filePath: bundle)), as: UTF8.self)
        for text in [text, raw, call.output, call.errors] {
            #expect(!text.contains("planted"))
            #expect(!text.contains(token) && !text.contains("nvs_"))
            #expect(!text.contains("\(sandbox.root)/home"))
        }
        for name in ["README.txt", "config.json", "doctor.json", "log.txt", "sizes.json"] {
            #expect(call.output.contains(name))
        }
        host?.kill(SIGTERM)
        #expect(try host?.wait() ?? 0 == 0)
    }

    @Test(arguments: [
        #"{"mqtt": {"host": "planted:planted@host", "passwort": "planted"}}"#,
        #"{"other": {"more": "planted"}, "x": ["planted", {"y": "planted planted"}]}"#,
        #"{"password": "planted"#,
    ])
    func `an invalid configuration reveals nothing`(text: String) throws {
        try write(text, to: "home/.config/nervous/config.json")
        let call = try sandbox.nervous("support-bundle", bundle, "--yes", "--json")
        #expect(call.code == 0, "\(call.errors)")
        let config = try Invocation(
            "/usr/bin/tar", ["-xOf", bundle, "config.json"], environment: sandbox.environment)
        #expect(config.code == 0 && !config.output.contains("\"planted"))
    }

    @Test func `the list is shown before the file is written`() throws {
        let terminal = try sandbox.terminal("support-bundle", bundle)
        try terminal.await("The bundle contains:")
        try terminal.await("doctor.json")
        try terminal.await("[y/N] ")
        #expect(!FileManager.default.fileExists(atPath: bundle))
        terminal.type("n\n")
        #expect(try terminal.finish() == 77)
        #expect(!FileManager.default.fileExists(atPath: bundle))
        let second = try sandbox.terminal("support-bundle", bundle)
        try second.await("[y/N] ")
        second.type("y\n")
        #expect(try second.finish() == 0)
        #expect(FileManager.default.fileExists(atPath: bundle))
    }

    @Test func `nothing is written without a terminal and without --yes`() throws {
        let call = try sandbox.nervous("support-bundle", bundle)
        #expect(call.code == 77 && call.errors.contains("--yes"))
        #expect(!FileManager.default.fileExists(atPath: bundle))
    }

    @Test func `an existing file is not overwritten`() throws {
        try write("mine", to: "bundle.tar")
        let call = try sandbox.nervous("support-bundle", bundle, "--yes")
        #expect(call.code == 73)
        #expect(try String(contentsOfFile: bundle, encoding: .utf8) == "mine")
    }
}
