import Foundation
import Testing

@testable import JSApps

/// Tiles come from the folder that the owner names, and nothing else does.
@Suite struct MapTilesTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1]
    private static let webp = Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WEBPVP8 ".utf8)

    private static func tiles(_ folder: TemporaryFolder) -> MapTiles {
        MapTiles(folder: folder.url.path(percentEncoded: false))
    }

    @Test(arguments: [
        "", "1", "1/0", "1/0/0/0", "/1/0/0", "1/0/0/", "1//0", "-1/0/0", "+1/0/0", "01/0/0",
        "1/2/0", "1/0/2", "0/0/1", "23/0/0", "1/0/0.png", "1/0/ 0", "1/0/0x0", "1/../0",
        "../../etc", "1/0/..", "1/0/%30", "1/0/٣", "22/99999999999999999999/0", "22/4194304/0",
        "1/0/0\0", "a/b/c",
    ])
    func `an address is three integers of which there are tiles`(path: String) {
        #expect(MapTiles.Address(path[...]) == nil)
    }

    @Test(arguments: ["0/0/0", "1/1/1", "22/4194303/0", "12/2145/1434"])
    func `an address in range is accepted`(path: String) {
        #expect(MapTiles.Address(path[...]) != nil)
    }

    @Test func `the format of a tile is determined by its content`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("1/0/0.png", Self.png)
        try folder.write("1/0/1.png", Self.jpeg)
        try folder.write("1/1/0.webp", Self.webp)
        try folder.write("1/1/1.jpg", Self.jpeg)
        let tiles = Self.tiles(folder)
        for (path, format, bytes) in [
            ("1/0/0", MapTiles.Tile.Format.png, Self.png), ("1/0/1", .jpeg, Self.jpeg),
            ("1/1/0", .webp, Self.webp), ("1/1/1", .jpeg, Self.jpeg),
        ] {
            let address = try #require(MapTiles.Address(path[...]))
            let tile = try #require(await tiles.tile(at: address))
            #expect(tile.format == format && tile.bytes == bytes, "\(path)")
        }
    }

    @Test func `absent files, other content and large files are no tiles`() async throws {
        let folder = try TemporaryFolder()
        let large = Self.png + [UInt8](repeating: 0, count: MapTiles.tileLimit)
        try folder.write("2/0/0.png", Array("<svg onload='x()'/>".utf8))
        try folder.write("2/0/1.png", [])
        try folder.write("2/0/2.png", large)
        try folder.write("2/0/3.png", Array(large.prefix(MapTiles.tileLimit)))
        try folder.write("2/1/0.png/x", Self.png)
        try folder.write("2/1/1.gif", Array("GIF89a".utf8))
        let tiles = Self.tiles(folder)
        func size(_ path: String) async throws -> Int? {
            await tiles.tile(at: try #require(MapTiles.Address(path[...])))?.bytes.count
        }
        for path in ["2/0/0", "2/0/1", "2/0/2", "2/1/0", "2/1/1", "2/3/3", "5/0/0"] {
            #expect(try await size(path) == nil, "\(path)")
        }
        #expect(try await size("2/0/3") == MapTiles.tileLimit)
        let none = MapTiles(folder: folder.url.path(percentEncoded: false) + "none")
        #expect(await none.tile(at: try #require(MapTiles.Address("0/0/0"))) == nil)
        #expect(await none.zooms().isEmpty)
        #expect(await none.attribution() == nil)
    }

    /// Neither the link of a file nor that of a folder leads anywhere; a pipe is not waited for.
    @Test func `links below the folder and pipes are not read`() async throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        try other.write("3/secret.png", Self.png)
        try folder.write("3/0/0.png", Self.png)
        func link(_ name: String, to target: URL) throws {
            try FileManager.default.createSymbolicLink(
                at: folder.url.appending(path: name), withDestinationURL: target)
        }
        try link("3/0/1.png", to: other.url.appending(path: "3/secret.png"))
        try link("3/0/2.png", to: folder.url.appending(path: "3/0/0.png"))
        try link("3/1", to: folder.url.appending(path: "3/0"))
        try link("4", to: folder.url.appending(path: "3"))
        try link("attribution.txt", to: URL(filePath: "/etc/hostname"))
        #expect(
            mkfifo(folder.url.appending(path: "3/0/4.png").path(percentEncoded: false), 0o600) == 0)
        let tiles = Self.tiles(folder)
        for path in ["3/0/1", "3/0/2", "3/1/0", "4/0/0", "3/0/4"] {
            let address = try #require(MapTiles.Address(path[...]))
            #expect(await tiles.tile(at: address) == nil, "\(path)")
        }
        #expect(await tiles.tile(at: try #require(MapTiles.Address("3/0/0"))) != nil)
        #expect(await tiles.attribution() == nil)
    }

    @Test func `its levels and the beginning of its attribution are known`() async throws {
        let folder = try TemporaryFolder()
        for name in ["12/1/1.png", "9/1/1.png", "09/1/1.png", "23/1/1.png", "x/1/1.png"] {
            try folder.write(name, Self.png)
        }
        try folder.write("attribution.txt", Array("© A & <b>".utf8) + [0x0A])
        let tiles = Self.tiles(folder)
        #expect(await tiles.zooms() == [9, 12])
        #expect(await tiles.attribution() == "© A & <b>\n")
        try folder.write("attribution.txt", [UInt8](repeating: 0x61, count: 5000))
        #expect(await tiles.attribution()?.utf8.count == MapTiles.attributionLimit)
    }
}
