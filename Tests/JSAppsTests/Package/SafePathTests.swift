import Foundation
import Testing

@testable import JSApps

@Suite struct SafePathTests {
    @Test(arguments: [
        "a", "a/b", "a.b/c d/é", "名前/😀.png", "...", "..a", "a..", "ab:c", "-rf",
    ])
    func `an ordinary name is kept as it is`(_ name: String) throws {
        let path = try SafePath(checking: Array(name.utf8), limits: PackageLimits())
        #expect(path.text == name)
    }

    @Test(arguments: [
        ("ß", "SS"), ("ﬁ", "FI"), ("É", "e\u{301}"), ("Å", "\u{212b}"), ("ſ", "s"), ("K", "k"),
        ("ΑΣ", "ας"), ("ａ", "A"), ("①", "1"), ("ŉ", "ʼN"), ("ΐ", "ϊ\u{301}"),
    ])
    func `names that are equal on some file system have the same folded form`(
        _ one: String, _ other: String
    ) {
        #expect(SafePathSet.folded(one) == SafePathSet.folded(other))
    }

    @Test func `a folder opens nothing outside itself, with and without openat2`() throws {
        let folder = try TemporaryFolder()
        try folder.write("inside/sub/file", "x")
        try folder.write("outside", "secret")
        for (link, target) in [("up", ".."), ("out", "../outside"), ("sub/abs", "/etc")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.url.appending(path: "inside/\(link)").path(),
                withDestinationPath: target)
        }
        let inside = try Folder.open(folder.url.appending(path: "inside").path())
        for path in [
            "../outside", "up/outside", "out", "/etc/passwd", "sub/../../outside", "sub/abs/passwd",
            "",
        ] {
            #expect(throws: SystemError.self, "\(path)") { try inside.file(path).isRegular() }
            #expect(throws: SystemError.self, "\(path)") {
                OpenFile(owning: try inside.openStepwise(path, O_RDONLY, 0)).descriptor
            }
        }
        #expect(try inside.file("sub/file").read(atMost: 10) == [0x78])
        let descriptor = try inside.openStepwise("sub/file", O_RDONLY, 0)
        #expect(try OpenFile(owning: descriptor).read(atMost: 10) == [0x78])
    }
}
