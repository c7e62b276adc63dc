import JSApps

extension HostilePackage {
    private static let megabyte = 1 << 20

    private static func bombs(_ count: Int, size: Int) -> [UInt8] {
        (0..<count).reduce(ZipForge.good()) {
            $0.with(.bomb("my-app/bomb-\($1)", size: size, claimed: size))
        }.bytes
    }

    private static func manifest(_ text: String) -> [UInt8] {
        ZipForge.good().changed {
            $0.entries[0] = .stored("my-app/package.json", text)
        }.bytes
    }

    static let content: [HostilePackage] = [
        .init("file too large", .tooLarge, bombs(1, size: 17 * megabyte)),
        .init("sum too large", .tooLarge, bombs(5, size: 14 * megabyte)),
        .init(
            "bomb that is declared small", .tooLarge,
            adding: .bomb("my-app/bomb", size: 60 * megabyte, claimed: 100)),
        .init(
            "archive too large", .tooLarge,
            adding: .stored("my-app/a", String(repeating: "a", count: 20 * megabyte))),
        .init(
            "too many entries", .tooLarge,
            (0..<2000).reduce(into: ZipForge.good()) {
                $0.entries.append(.stored("my-app/\($1)"))
            }.bytes),

        .init("no entries", .missingFile, ZipForge([]).bytes),
        .init("only a folder", .missingFile, ZipForge([.folder("my-app/")]).bytes),
        .init("no package.json", .missingFile) { forge in
            forge.entries.remove(at: 0)
        },
        .init("no app.js", .missingFile) { forge in
            forge.entries.remove(at: 1)
        },
        .init("no app.html", .missingFile) { forge in
            forge.entries.remove(at: 2)
        },
        .entry("app.js deeper", .missingFile) {
            $0 = .stored("my-app/src/app.js", "")
        },
        .init("flat", .wrongFolderName, adding: .stored("readme.txt")),
        .init("second folder", .wrongFolderName, adding: .stored("other/a.js")),
        .init("folder of the Finder", .wrongFolderName, adding: .stored("__MACOSX/._my-app")),
        .init("empty second folder", .wrongFolderName, adding: .folder("other/")),
        .init("CamelCase", .wrongFolderName, ZipForge.good(name: "MyApp").bytes),
        .init("leading hyphen", .wrongFolderName, ZipForge.good(name: "-my-app").bytes),
        .init("hidden folder", .wrongFolderName, ZipForge.good(name: ".staging-1").bytes),
        .init(
            "long folder name", .wrongFolderName,
            ZipForge.good(name: String(repeating: "a", count: 65)).bytes),
        .init("another name inside", .wrongFolderName, manifest(ZipForge.manifest(name: "other"))),

        .init("no JSON", .badManifest, manifest("hello")),
        .init("list", .badManifest, manifest("[]")),
        .init("name twice", .badManifest, manifest(#"{"name":"a","name":"my-app"}"#)),
        .init("no name", .badManifest, manifest(#"{"version":"1"}"#)),
        .init("name in CamelCase", .badManifest, manifest(ZipForge.manifest(name: "MyApp"))),
        .init("no version", .badManifest, manifest(#"{"name":"my-app"}"#)),
        .init(
            "byte order mark in the manifest", .badManifest,
            manifest("\u{feff}" + ZipForge.manifest(name: "my-app"))),
        .init(
            "manifest too large", .badManifest,
            manifest(
                ZipForge.manifest(name: "my-app") + String(repeating: " ", count: 256 << 10))),
        .init(
            "manifest too deep", .badManifest, manifest(String(repeating: "[", count: 100_000))),
    ]

    static let all = names + entries + structure + content
}
