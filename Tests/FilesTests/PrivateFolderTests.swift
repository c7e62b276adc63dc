import Files
import Foundation
import TestSupport
import Testing

struct PrivateFolderTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test(arguments: ["a", "a/b/c", "a/b/"])
    func `a folder and its missing parents are created with mode 0700`(name: String) throws {
        try PrivateFolder.make(folder.path(name))
        try PrivateFolder.make(folder.path(name))
        let parts = name.split(separator: "/")
        for count in 1...parts.count {
            #expect(try folder.mode(parts.prefix(count).joined(separator: "/")) == 0o700)
        }
    }

    @Test func `an existing folder is unchanged`() throws {
        try PrivateFolder.make(folder.path("a"))
        try folder.setMode(0o755, of: "a")
        try PrivateFolder.make(folder.path("a"))
        #expect(try folder.mode("a") == 0o755)
    }

    @Test func `a folder beneath a file is rejected`() throws {
        try folder.write("", to: "a")
        let error = #expect(throws: FilesError.self) {
            try PrivateFolder.make(folder.path("a/b"))
        }
        #expect(error?.code == .failed)
        #expect(error?.reason == "Not a directory")
    }

    @Test(arguments: [
        (0o700, true), (0o755, true), (0o1777, true), (0o770, false), (0o707, false),
        (0o777, false), (0o722, false),
    ])
    func `a folder that others can write to is rejected`(mode: Int, isSafe: Bool) throws {
        try PrivateFolder.make(folder.path("a"))
        try folder.setMode(mode, of: "a")
        do throws(FilesError) {
            try PrivateFolder.checkParent(of: folder.path("a/file"))
            #expect(isSafe)
        } catch {
            #expect(!isSafe && error.code == .unsafe)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func `a folder of another user is rejected`() throws {
        try PrivateFolder.make(folder.path("a"))
        try folder.giveAway("a")
        let error = #expect(throws: FilesError.self) {
            try PrivateFolder.checkParent(of: folder.path("a/file"))
        }
        #expect(error?.code == .unsafe)
    }

    @Test func `a missing folder is rejected`() throws {
        let error = #expect(throws: FilesError.self) {
            try PrivateFolder.checkParent(of: folder.path("none/file"))
        }
        #expect(error?.code == .failed)
    }
}
