import Files
import Foundation
import TestSupport
import Testing

struct DurableFileTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test(arguments: [0, 1, 100_000])
    func `a file is created with mode 0600, and no temporary file is left`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try DurableFile.replace(folder.path("a"), with: bytes)
        #expect(try folder.content("a") == bytes)
        #expect(try folder.mode("a") == 0o600)
        #expect(try folder.names == ["a"])
    }

    @Test func `temporary files of a process that died are removed, and nothing else`() throws {
        let drafts = ["a.new-0", "a.json.new-0123456789abcdef", "a.new-b.new-f"]
        let others = ["a", "a.new-", "a.new-g", "a.new-0123456789abcdef0", ".new-0", "new-0"]
        for name in drafts + others { try folder.write("x", to: name) }
        DurableFile.removeDrafts(in: folder.path)
        #expect(try folder.names == others.sorted())
        DurableFile.removeDrafts(in: folder.path("none"))
    }

    @Test func `a longer file that others could open is replaced by a private one`() throws {
        try folder.write(String(repeating: "a", count: 100), to: "a", mode: 0o644)
        try DurableFile.replace(folder.path("a"), with: [1, 2, 3])
        #expect(try folder.content("a") == [1, 2, 3])
        #expect(try folder.mode("a") == 0o600)
    }

    @Test func `a symbolic link is replaced, and its target is unchanged`() throws {
        try folder.write("before", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("a"), withDestinationPath: folder.path("target"))
        try DurableFile.replace(folder.path("a"), with: [1])
        #expect(try folder.content("target") == Array("before".utf8))
        #expect(try folder.content("a") == [1])
    }

    @Test func `a failed replacement changes nothing and leaves no temporary file`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("a/b"), withIntermediateDirectories: true)
        let error = #expect(throws: FilesError.self) {
            try DurableFile.replace(folder.path("a"), with: [1])
        }
        #expect(error?.code == .failed)
        #expect(error?.message == "Cannot write \(folder.path("a")): \(error?.reason ?? "").")
        #expect(try folder.names == ["a"])
    }

    @Test func `a file in a missing folder is rejected`() throws {
        let error = #expect(throws: FilesError.self) {
            try DurableFile.replace(folder.path("none/a"), with: [1])
        }
        #expect(error?.code == .failed)
        #expect(error?.reason == "No such file or directory")
        #expect(try folder.names == [])
    }

    @Test func `a reader during concurrent writes sees one complete content`() async throws {
        let path = folder.path("a")
        try DurableFile.replace(path, with: [0])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...4 {
                group.addTask {
                    for turn in 1...25 {
                        let length = writer * 10_000 + turn
                        let bytes = [UInt8](repeating: UInt8(writer), count: length)
                        try DurableFile.replace(path, with: bytes)
                    }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    let found = Array(try Data(contentsOf: URL(filePath: path)))
                    let writer = try #require(found.first)
                    #expect(found.allSatisfy { $0 == writer })
                    #expect(found.count == 1 || found.count > Int(writer) * 10_000)
                }
            }
            try await group.waitForAll()
        }
        #expect(try folder.names == ["a"])
    }
}
