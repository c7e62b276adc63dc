import Foundation
import TestSupport
import Testing

/// Invalid input: one clear message, an exit code, nothing left behind.
@Suite(.blocking)
struct BadInputTests {
    struct Package: CustomTestStringConvertible, Sendable {
        let name: String
        let files: [String: String]
        let type: String
        let message: String

        var testDescription: String { name }
    }

    private static let manifest = #"{"name":"demo","version":"1"}"#

    static let packages = [
        Package(
            name: "climbs out", files: ["../x": "", "demo/package.json": manifest],
            type: "unsafe-path", message: "../x"),
        Package(
            name: "no app.js", files: ["demo/package.json": manifest, "demo/app.html": ""],
            type: "missing-file", message: "app.js"),
        Package(
            name: "wrong folder",
            files: ["other/package.json": manifest, "other/app.js": "", "other/app.html": ""],
            type: "wrong-folder-name", message: "other"),
        Package(
            name: "broken manifest",
            files: [
                "demo/package.json": "{\n  \"name\": \"demo\",\n  \"version\" \"1\"\n}",
                "demo/app.js": "", "demo/app.html": "",
            ], type: "bad-manifest", message: "package.json:3:13"),
        Package(
            name: "unknown privilege",
            files: [
                "demo/package.json":
                    "{\"name\":\"demo\",\"version\":\"1\",\n\"privileges\":[{\"camera\":true}]}",
                "demo/app.js": "", "demo/app.html": "",
            ], type: "bad-manifest", message: "package.json:2:"),
        Package(
            name: "no reason",
            files: [
                "demo/package.json":
                    #"{"name":"demo","version":"1","privileges":[{"sensor":"cpu"}]}"#,
                "demo/app.js": "", "demo/app.html": "",
            ], type: "bad-manifest", message: "reason"),
    ]

    @Test(arguments: packages)
    func `an invalid package is rejected and leaves nothing behind`(package: Package) throws {
        let sandbox = try Sandbox()
        let file = sandbox.path("bad.zip")
        try ZipWriter.write(package.files, to: file)
        let install = try sandbox.nervous("install", file)
        #expect(install.code == 65)
        #expect(install.errors.hasPrefix("error: "))
        #expect(install.errors.contains(package.message))
        #expect(install.output.isEmpty)
        #expect(sandbox.installedFiles.filter { !$0.hasPrefix(".") }.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: sandbox.path("x")))
        let json = try sandbox.nervous("install", file, "--json")
        #expect(json.errors.contains(#""type":"\#(package.type)""#))
    }

    @Test func `a missing file, and one that is not an archive, are named`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("install", "nowhere.zip").code == 66)
        try "no archive".write(toFile: sandbox.path("a.zip"), atomically: true, encoding: .utf8)
        #expect(try sandbox.nervous("install", sandbox.path("a.zip")).code == 65)
        #expect(try sandbox.nervous("run", "not-installed").code == 66)
        #expect(try sandbox.nervous("uninstall", "not-installed").code == 66)
    }

    @Test(arguments: ["demo.zip", "demo.nervous"])
    func `a package with names in UTF-8 is installed in any locale`(name: String) throws {
        let sandbox = try Sandbox()
        let file = sandbox.path(name)
        try Data(try sandbox.package()).write(to: URL(filePath: file))
        for locale in ["C", "POSIX", "nowhere"] {
            let environment = sandbox.environment.merging(["LC_ALL": locale]) { $1 }
            let install = try Invocation(
                Binary.nervous, ["install", file], environment: environment)
            #expect(install.code == 0, "\(install.errors)")
            #expect(sandbox.installedFiles.contains("demo/content/grün 名前.txt"))
            #expect(try sandbox.nervous("uninstall", "demo").code == 0)
        }
    }

    @Test func `without the unpacker nothing is installed, and other commands work`() throws {
        let sandbox = try Sandbox()
        let file = sandbox.path("demo.zip")
        try Data(try sandbox.package()).write(to: URL(filePath: file))
        // A link to the program in a folder without the others.
        let folder = "\(BuiltProgram.folder)/alone-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let nervous = folder + "/nervous"
        try FileManager.default.linkItem(atPath: Binary.nervous, toPath: nervous)
        let install = try Invocation(
            nervous, ["install", file], environment: sandbox.environment)
        #expect(install.code == 69)
        #expect(
            install.errors.contains(
                "error: The program nervous-unpacker was not found beside nervous."))
        #expect(sandbox.installedFiles.isEmpty)
        let apps = try Invocation(nervous, ["apps"], environment: sandbox.environment)
        #expect(apps.code == 0)
    }

    @Test func `a port in use is reported in one sentence`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let other = try Sandbox()
        let second = try other.nervous("serve", "--port", String(host.port))
        #expect(second.code == 69)
        #expect(second.errors.split(separator: "\n").count == 2, "\(second.errors)")
        #expect(second.errors.contains("error: Port \(host.port) is already in use on 127.0.0.1."))
    }

    @Test func `a read-only data directory is reported in one sentence`() throws {
        let sandbox = try Sandbox()
        let serve = try sandbox.nervous("serve", "--data", "/proc/nervous")
        #expect(serve.code == 73)
        #expect(serve.errors.contains("error: The data directory /proc/nervous cannot be used"))
    }

    @Test func `a second host on the same data ends with 75 and names the first`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let second = try sandbox.nervous("serve", "--port", "0")
        #expect(second.code == 75)
        #expect(second.errors.contains("process \(host.pid)"))
    }

    @Test func `a permission database that others can read is refused`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("permissions").code == 0)
        chmod("\(sandbox.data)/permissions.sqlite", 0o644)
        let second = try sandbox.nervous("permissions")
        #expect(second.code == 78)
        #expect(second.errors.contains("chmod 600"))
    }

    @Test(arguments: [
        ["analyze", "nonsense", "cpu.busy"], ["analyze", "k-means", "cpu.busy"],
        ["analyze", "trend", "cpu"], ["analyze", "trend", "cpu.busy", "--set", "k"],
        ["analyze", "trend", "cpu.busy", "--join", "nearest"],
        ["query", "nonsense"], ["query", "cpu", "--stats", "average"],
        ["query", "cpu", "--fields", "nonsense"], ["query", "cpu", "--where", "busy~1"],
        ["sensors", "set", "cpu", "sometimes"], ["query", "cpu", "--last", "yesterday"],
        ["permissions", "grant", "nobody", "sensor:cpu"], ["token", "create", "Not Kebab"],
        ["nonsense"], ["run"],
    ])
    func `an invalid argument gives an error and not a stack trace`(words: [String]) throws {
        let sandbox = try Sandbox()
        let call = try sandbox.nervous(words)
        #expect(call.code == 64 || call.code == 66)
        #expect(call.errors.lowercased().hasPrefix("error: "))
        #expect(!call.errors.contains("Fatal"))
    }
}
