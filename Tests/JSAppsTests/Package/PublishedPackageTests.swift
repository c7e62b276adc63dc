import Auth
import Foundation
import JSApps
import Testing

/// Packages of both generations that were published before this host.
@Suite struct PublishedPackageTests {
    private let folder: TemporaryFolder
    private let library: AppLibrary

    init() async throws {
        folder = try TemporaryFolder()
        library = try await AppLibrary.open(
            at: folder.url.appending(path: "apps"), unpacker: .built)
    }

    /// The beginning of a PNG, as long as typical icons, as base64.
    private static let icon: String = {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return Data(signature + (0..<16_500).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            .base64EncodedString()
    }()

    private static func axon(
        _ name: String, folder: String, version: String? = "1.0.0", more: String = ""
    ) -> ZipForge {
        let version = version.map { #""version": "\#($0)","# } ?? ""
        return ZipForge([
            .folder("\(folder)/"),
            .stored(
                "\(folder)/package.json",
                """
                {"author": {"name": "Ann"}, "license": "MIT", "name": "\(name)", \(version)
                 "title": "A title", "icon": "\(icon)", "description": "Shows it",
                 "repository": {"type": "git", "url": "https://example.org/x.git",},
                 "bugs": {"url": ""}, "keywords": ["axon", "x",], \(more)}
                """),
            .stored("\(folder)/axon.html", "<div class=\"app-page\" data-page=\"home\">…</div>"),
            .stored("\(folder)/axon.js", "App.load('home')"),
            .deflated("\(folder)/README.md", "# axon"),
        ])
    }

    private static func first(_ folder: String, manifest: String?) -> ZipForge {
        let page = "<script src=\"/nervous-resources/nervousAPI.js\"></script>"
        return ZipForge(
            (manifest.map { [.stored("\(folder)/package.json", $0)] } ?? []) + [
                .stored("\(folder)/app.html", page),
                .stored("\(folder)/app.js", "App.load('home')"),
            ])
    }

    @Test func `an app of the first generation needs no package.json, wherever its API is`()
        async throws
    {
        for script in ["/nervous-resources/nervousAPI.js", "../nervousAPI.js"] {
            let package = ZipForge([
                .stored("hello-world/app.html", "<script src=\"\(script)\"></script>"),
                .stored("hello-world/app.js", "App.load('home')"),
            ])
            let app = try await library.install(archive: package.bytes)
            #expect(app.generation == .first && app.name.text == "hello-world")
            #expect(app.declared.asksAtFirstUse)
        }
    }

    @Test(arguments: [
        ("axon-one", "axon-one-master", "axon-one", "axon-one-master"),
        ("Mi Data", "mi-data-main", "mi-data", "mi-data-main"),
        ("AccelGraph_2", "x", "accel-graph-2", "x"),
        ("  Élan Vital!", "Elan", "elan-vital", "Elan"),
        ("名前", "named", "app-", "named"),
    ])
    func `an axon gets a derived name`(
        given: String, top: String, name: String, folder: String
    ) async throws {
        let app = try await library.install(archive: Self.axon(given, folder: top).bytes)
        let isHashed = name.hasPrefix("app-")
        #expect(isHashed ? app.name.text.hasPrefix("app-") : app.name.text == name)
        #expect(app.generation == .axon)
        #expect(app.index.folder == folder)
        #expect(app.manifest.publishedName == (given == app.name.text ? nil : given))
        #expect(app.manifest.privileges.isEmpty)
        #expect(app.declared.asksAtFirstUse)
        #expect(app.manifest.author == "Ann")
        #expect(app.manifest.icon?.bytes.count == 16_508)
        // Reading it from the disk gives the same.
        #expect(try await library.app(named: app.name.text).manifest == app.manifest)
    }

    @Test(arguments: ReservedNames.all)
    func `no published name becomes a reserved one`(name: String) async throws {
        let packages = [
            Self.axon(name.uppercased(), folder: "x"),
            Self.axon(" \(name.capitalized)! ", folder: "x"),
            Self.first("\(name)-master", manifest: nil),
        ]
        for package in packages {
            let error = await #expect(throws: JSAppsError.self) {
                try await library.install(archive: package.bytes)
            }
            #expect(error?.code == .nameTaken)
        }
        #expect(try await library.apps().isEmpty)
        let near = try await library.install(
            archive: Self.axon("My \(name.capitalized)", folder: "x").bytes)
        #expect(near.name.text == "my-\(name)")
    }

    @Test(arguments: [
        (nil as String?, "hello-world-master", "hello-world", "0.0.0"),
        (nil, "HelloWorld", "hello-world", "0.0.0"),
        (#"{"name": "Gyro Demo", "version": "0.3.0"}"#, "gyro", "gyro-demo", "0.3.0"),
        (#"{"title": "no name"}"#, "old-app-main", "old-app", "0.0.0"),
    ])
    func `an app of the first generation may lack a manifest`(
        manifest: String?, top: String, name: String, version: String
    ) async throws {
        let app = try await library.install(archive: Self.first(top, manifest: manifest).bytes)
        #expect(app.name.text == name)
        #expect(app.generation == .first)
        #expect(app.manifest.version == version)
        #expect(app.declared.asksAtFirstUse)
        #expect(try await library.app(named: name).manifest == app.manifest)
    }

    @Test func `an app that declares privileges follows the current rules`() async throws {
        let manifest = #"{"name": "Gyro", "version": "1", "privileges": []}"#
        await #expect(throws: JSAppsError.self) {
            try await library.install(archive: Self.first("gyro", manifest: manifest).bytes)
        }
        let plain = #"{"name": "gyro", "version": "1", "privileges": []}"#
        let app = try await library.install(archive: Self.first("gyro", manifest: plain).bytes)
        #expect(app.generation == .current)
        #expect(!app.declared.asksAtFirstUse)
    }

    @Test func `two apps with the same derived name conflict`() async throws {
        try await library.install(archive: Self.axon("My Axon", folder: "a-master").bytes)
        let error = await #expect(throws: JSAppsError.self) {
            try await library.install(archive: Self.axon("my_axon", folder: "b-master").bytes)
        }
        #expect(error?.code == .nameTaken)
        #expect(try await library.app(named: "my-axon").manifest.publishedName == "My Axon")
        // Another version of the same app replaces it.
        let newer = try await library.install(
            archive: Self.axon("My Axon", folder: "a-main", version: "1.1.0").bytes,
            with: InstallOptions())
        #expect(newer.updateCheck.kind == .update)
    }

    @Test func `files that no page uses are served`() async throws {
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var forge = Self.axon("x", folder: "x-master")
        forge.entries.append(.stored(Array("x-master/beach.jpg".utf8), bytes))
        let app = try await library.install(archive: forge.bytes)
        #expect(try app.contents(of: "beach.jpg") == bytes)
    }

    @Test(arguments: ["axon.js", "axon.html", "package.json"])
    func `an axon without one of its files is refused`(file: String) async throws {
        var forge = Self.axon("x", folder: "x")
        forge.entries.removeAll { $0.central.name.elementsEqual("x/\(file)".utf8) }
        let error = await #expect(throws: JSAppsError.self) {
            try await library.install(archive: forge.bytes)
        }
        #expect(error?.code == .missingFile)
        #expect(try await library.apps().isEmpty)
    }

    @Test func `a folder of a published app can be packed and installed`() async throws {
        for (path, text) in [
            "package.json": #"{"name": "Old One",}"#, "axon.html": "x", "axon.js": "x",
        ] {
            try folder.write("Old-One-master/\(path)", text)
        }
        let packageFolder = folder.url.appending(path: "Old-One-master")
        let archive = try Packer().pack(packageFolder)
        #expect(try await library.install(archive: archive).name.text == "old-one")
        #expect(try await library.install(from: packageFolder).name.text == "old-one")
    }
}
