import Glibc
import Scheduling

/// Map tiles in a folder that the owner names: `{z}/{x}/{y}.png`, in Web Mercator.
///
/// Paths consist of checked numbers only, and no link below the folder is followed, so that no other file can
/// be read. The format of a tile is determined by its content.
///
/// ```swift
/// let tiles = MapTiles(folder: "/srv/tiles")
/// if let address = MapTiles.Address("12/2145/1434"), let tile = await tiles.tile(at: address) { serve(tile) }
/// ```
public actor MapTiles {
    /// The maximum size of a tile in bytes, more than one of 512 × 512 pixels needs.
    static let tileLimit = 1 << 20
    /// The number of bytes of `attribution.txt` that are read.
    static let attributionLimit = 2000
    /// The highest zoom level.
    static let highestZoom = 22
    /// The number of entries of the folder that are read.
    private static let entryLimit = 1000
    /// The extensions of tiles, in the order in which they are tried.
    private static let extensions = ["png", "jpg", "jpeg", "webp"]

    /// The zoom level of a tile, and its column and row from the north-west.
    public struct Address: Sendable, Hashable {
        let zoom: Int
        let column: Int
        let row: Int

        /// Parses `z/x/y`: decimal integers without sign or leading zeros, within the range of their level.
        public init?(_ path: Substring) {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 3, let zoom = Self.number(parts[0], below: highestZoom + 1),
                let column = Self.number(parts[1], below: 1 << zoom),
                let row = Self.number(parts[2], below: 1 << zoom)
            else { return nil }
            (self.zoom, self.column, self.row) = (zoom, column, row)
        }

        fileprivate static func number(_ text: Substring, below end: Int) -> Int? {
            guard 1...8 ~= text.utf8.count, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
                let number = Int(text), number < end, String(number) == text
            else { return nil }
            return number
        }
    }

    /// A tile.
    public struct Tile: Sendable {
        /// The format of a picture, determined by its first bytes.
        public enum Format: Sendable {
            case png, jpeg, webp

            init?(of bytes: [UInt8]) {
                if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
                    self = .png
                } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
                    self = .jpeg
                } else if bytes.starts(with: Array("RIFF".utf8)),
                    bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
                {
                    self = .webp
                } else {
                    return nil
                }
            }
        }

        /// The content of the file.
        public let bytes: [UInt8]
        public let format: Format
    }

    private let folder: String
    private let executor = BlockingSerialExecutor(label: "map tiles")

    /// The executor that blocking calls run on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// - Parameter folder: an absolute path; it may be a link, and need not exist yet.
    public init(folder: String) {
        self.folder = folder
    }

    /// A tile; `nil` if there is none, or the file is not a picture of up to 1 MiB.
    public func tile(at address: Address) -> Tile? {
        for name in Self.extensions {
            let path = "\(address.zoom)/\(address.column)/\(address.row).\(name)"
            guard let bytes = read(path, atMost: Self.tileLimit) else { continue }
            guard bytes.count <= Self.tileLimit, let format = Tile.Format(of: bytes) else {
                return nil
            }
            return Tile(bytes: bytes, format: format)
        }
        return nil
    }

    /// The zoom levels that have a folder, in ascending order.
    public func zooms() -> [Int] {
        let names = (try? Folder.open(folder).names(atMost: Self.entryLimit)) ?? []
        return names.compactMap {
            Address.number(Substring(decoding: $0, as: UTF8.self), below: Self.highestZoom + 1)
        }.sorted()
    }

    /// The beginning of `attribution.txt`, which says whose map it is; `nil` if there is none.
    public func attribution() -> String? {
        guard let bytes = read("attribution.txt", atMost: Self.attributionLimit) else {
            return nil
        }
        return String(decoding: bytes.prefix(Self.attributionLimit), as: UTF8.self)
    }

    /// The content of a regular file, up to one byte more than `limit`.
    private func read(_ path: String, atMost limit: Int) -> [UInt8]? {
        guard let file = try? Folder.open(folder).file(path), (try? file.isRegular()) == true
        else { return nil }
        return try? file.read(atMost: limit)
    }
}
