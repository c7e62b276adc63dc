import Files
import Foundation
import TestSupport
import Testing

struct PrivateFileTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func refusal(_ body: () throws -> Void) -> FilesError? {
        #expect(throws: FilesError.self, performing: body)
    }

    @Test func `a missing file is created, and an existing one keeps its content`()
        throws
    {
        try PrivateFile.check(folder.path("a"))
        #expect(try folder.content("a") == [])
        #expect(try folder.mode("a") == 0o600)
        try folder.write("content", to: "a")
        try PrivateFile.check(folder.path("a"))
        #expect(try folder.content("a") == Array("content".utf8))
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o666, 0o601, 0o610])
    func `a file that others can open is rejected`(mode: Int) throws {
        try folder.write("", to: "a", mode: mode)
        let error = refusal { try PrivateFile.check(folder.path("a")) }
        #expect(error?.code == .unsafe)
        #expect(error?.hint?.hasSuffix("chmod 600 \(folder.path("a"))") == true)
        #expect(try folder.mode("a") == mode)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `a file of another user is rejected`() throws {
        try folder.write("", to: "a")
        try folder.giveAway("a")
        let error = refusal { try PrivateFile.check(folder.path("a")) }
        #expect(error?.code == .unsafe)
        #expect(error?.hint?.contains("chown") == true)
    }

    @Test func `a link is not followed`() throws {
        try folder.write("", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("a"), withDestinationPath: folder.path("target"))
        #expect(refusal { try PrivateFile.check(folder.path("a")) }?.code == .failed)
    }

    @Test(arguments: ["-wal", "-shm"])
    func `the companion files of a database are checked and not created`(ending: String) throws {
        try PrivateFile.checkDatabase(folder.path("a"))
        #expect(try folder.names == ["a"])
        try folder.write("", to: "a\(ending)", mode: 0o644)
        #expect(refusal { try PrivateFile.checkDatabase(folder.path("a")) }?.code == .unsafe)
        try folder.setMode(0o600, of: "a\(ending)")
        try PrivateFile.checkDatabase(folder.path("a"))
    }

    @Test(arguments: [(0o600, true), (0o700, true), (0o400, true), (0o604, false), (0o640, false)])
    func `an open file is private if no other user has access`(
        mode: Int, isPrivate: Bool
    ) throws {
        try folder.write("", to: "a", mode: mode)
        let file = try #require(FileHandle(forReadingAtPath: folder.path("a")))
        #expect(PrivateFile.isPrivate(file.fileDescriptor) == isPrivate)
    }

    @Test func `an invalid descriptor is not private`() {
        #expect(!PrivateFile.isPrivate(-1))
    }
}
