import Auth
import Foundation
import JSApps
import Testing

@testable import Host

struct ConfigurationTests {
    private func parsed(_ text: String) throws -> Configuration {
        try Configuration(parsing: Array(text.utf8))
    }

    @Test func `what is not set keeps its default`() throws {
        #expect(try parsed("{}") == Configuration())
        #expect(try parsed(#"{"packages": {}}"#) == Configuration())
        let defaults = Configuration().packages
        #expect(defaults.archiveBytes == 20 << 20)
        #expect(defaults.unpackedBytes == 64 << 20)
        #expect(defaults.fileBytes == 16 << 20)
        #expect(defaults.entries == 2000)
        #expect(defaults.pathBytes == 240)
        #expect(defaults.depth == 16)
    }

    @Test func `every limit can be set`() throws {
        let packages = try parsed(
            """
            {"packages": {"archiveMiB": 1, "unpackedMiB": 2, "fileMiB": 3, "entries": 4,
                          "pathBytes": 50, "depth": 6,},}
            """
        ).packages
        #expect(packages.archiveBytes == 1 << 20)
        #expect(packages.unpackedBytes == 2 << 20)
        #expect(packages.fileBytes == 3 << 20)
        #expect(packages.entries == 4)
        #expect(packages.pathBytes == 50)
        #expect(packages.depth == 6)
    }

    @Test(arguments: [
        ("", "1:1"), ("[]", "1:1"), ("{\n  \"pakages\": {}\n}", "2:3"),
        (#"{"packages": 5}"#, "1:14"), (#"{"packages": {"archiveMB": 5}}"#, "1:15"),
        (#"{"packages": {"archiveMiB": 0}}"#, "1:29"),
        (#"{"packages": {"archiveMiB": 1e9}}"#, "1:29"),
        (#"{"packages": {"archiveMiB": 1.5}}"#, "1:29"),
        (#"{"packages": {"archiveMiB": "5"}}"#, "1:29"),
        (#"{"packages": {"archiveMiB": null}}"#, "1:29"),
        (#"{"packages": {"entries": 1, "entries": 2}}"#, "1:29"),
        (#"{"packages": {}} x"#, "1:18"),
    ])
    func `what is not understood is refused with its place`(text: String, place: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try parsed(text) }
        #expect(error?.position.description == place, "\(error?.message ?? "")")
    }

    @Test func `the file is read by every command and by the host`() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        func configure(_ text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: folder + "/config.json"))
        }
        let package = sandbox.path("demo.zip")
        try Data(try sandbox.package()).write(to: URL(filePath: package))
        try configure(#"{"packages": {"entries": 3}}"#)
        let many = try sandbox.nervous("install", package)
        #expect(many.code == 65)
        #expect(many.errors.contains("4 entries; 3 are allowed"), "\(many.errors)")
        try configure(#"{"packages": {"depth": 2}}"#)
        #expect(try sandbox.nervous("install", package).code == 0)
        try configure(#"{"packages": {"dept": 2}}"#)
        for command in [["install", package], ["apps"], ["serve", "--port", "0"]] {
            let wrong = try sandbox.nervous(command)
            #expect(wrong.code == 78)
            #expect(wrong.errors.contains("config.json:1:15: “dept” means nothing in packages"))
        }
    }

    @Test func `the folder of the configuration follows the environment`() {
        let home = HostPaths(option: nil, environment: ["HOME": "/home/a"])
        #expect(home.configuration == "/home/a/.config/nervous/config.json")
        let other = HostPaths(
            option: nil, environment: ["HOME": "/home/a", "XDG_CONFIG_HOME": "/b"])
        #expect(other.configuration == "/b/nervous/config.json")
        let relative = HostPaths(
            option: nil, environment: ["HOME": "/home/a", "XDG_CONFIG_HOME": "b"])
        #expect(relative.configuration == home.configuration)
    }
}
