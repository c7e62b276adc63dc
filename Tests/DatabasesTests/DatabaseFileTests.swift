import Databases
import Files
import Foundation
import TestSupport
import Testing

/// Checks of a database file without opening it as one.
struct DatabaseFileTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private var path: String { folder.path("a.sqlite") }

    /// A file with the header of a database.
    private func write(
        pages: Int, of pageSize: Int, size: Int, isCountValid: Bool = true
    ) throws {
        var bytes = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: max(84, size))
        let stored = pageSize == 65_536 ? 1 : pageSize
        (bytes[16], bytes[17]) = (UInt8(stored >> 8), UInt8(stored & 0xFF))
        for (offset, number) in [(24, 7), (28, pages), (92, isCountValid ? 7 : 6)] {
            for byte in 0..<4 {
                bytes[offset + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte))
            }
        }
        try Data(bytes.prefix(size)).write(to: URL(filePath: path))
    }

    @Test func `a missing file is not a fault, an empty one is`() throws {
        #expect(DatabaseFile.headerFault(of: path) == nil)
        try Data().write(to: URL(filePath: path))
        #expect(DatabaseFile.headerFault(of: path) == "is empty")
    }

    @Test(arguments: [1, 15, 16, 99])
    func `a file shorter than the header is not a database`(size: Int) throws {
        try write(pages: 1, of: 4096, size: size)
        #expect(DatabaseFile.headerFault(of: path) == "is not an SQLite database")
    }

    @Test(arguments: [512, 4096, 65_536])
    func `a file with fewer pages than its header states is truncated`(pageSize: Int) throws {
        for missing in [1, pageSize, 2 * pageSize - 100] {
            try write(pages: 3, of: pageSize, size: 3 * pageSize - missing)
            #expect(DatabaseFile.headerFault(of: path)?.hasPrefix("is truncated") == true)
        }
        for more in [0, 1, pageSize] {
            try write(pages: 3, of: pageSize, size: 3 * pageSize + more)
            #expect(DatabaseFile.headerFault(of: path) == nil)
        }
    }

    @Test func `an outdated number of pages in the header is ignored`() throws {
        try write(pages: 3, of: 4096, size: 4096, isCountValid: false)
        #expect(DatabaseFile.headerFault(of: path) == nil)
        try write(pages: 3, of: 4096, size: 4096)
        try Data([1]).write(to: URL(filePath: path + "-wal"))
        #expect(DatabaseFile.headerFault(of: path) == nil)
        try Data().write(to: URL(filePath: path + "-wal"))
        #expect(DatabaseFile.headerFault(of: path) != nil)
    }

    @Test func `a database is renamed into place when it is complete`() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try DatabaseFile.create(path) { draft in
                try Data([1]).write(to: URL(filePath: draft))
                throw Stop()
            }
        }
        #expect(try folder.names.isEmpty)
        try DatabaseFile.create(path) { draft in
            #expect(!FileManager.default.fileExists(atPath: path))
            let file = try FileHandle(forWritingTo: URL(filePath: draft))
            try file.write(contentsOf: Data([1, 2]))
            try file.close()
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1, 2]))
        #expect(try folder.mode("a.sqlite") == 0o600)
        try DatabaseFile.create(path) { _ in throw Stop() }
        #expect(try folder.names == ["a.sqlite"])
    }

    @Test func `a new database does not get the log of one that was removed`() throws {
        for (companion, byte) in [("-wal", 1), ("-shm", 2)] {
            try Data([UInt8(byte)]).write(to: URL(filePath: path + companion))
        }
        try DatabaseFile.create(path) { _ in }
        #expect(try folder.names.sorted() == ["a.sqlite", "a.sqlite.damaged-wal"])
        #expect(try Data(contentsOf: URL(filePath: path + ".damaged-wal")) == Data([1]))
    }

    @Test func `a reserve is allocated only if enough space remains, and can be released once`()
        throws
    {
        let reserve = DiskReserve(path: path + "-reserve", size: 4096)
        reserve.allocate(free: 2 * 4096)
        #expect(!reserve.isAllocated)
        #expect(!reserve.release())
        reserve.allocate(free: 2 * 4096 + 1)
        #expect(reserve.isAllocated)
        #expect(try folder.mode("a.sqlite-reserve") == 0o600)
        #expect(reserve.release())
        #expect(!reserve.isAllocated)
        #expect(!reserve.release())
        #expect(DiskReserve.free(at: folder.path) > 0)
        #expect(DiskReserve.free(at: path + "/none") == 0)
    }
}
