import Foundation
import TestSupport
import Testing

@testable import Sealing

@Suite(.blocking)
struct AgeFileTests {
    private static let age = "/usr/bin/age"
    private static let isInstalled = FileManager.default.isExecutableFile(atPath: age)

    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func `what was encrypted is decrypted`(count: Int) throws {
        var generator = SplitMix(state: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let identity = try AgeIdentity()
        let file = try AgeFile.encrypt(bytes, to: identity.recipient)
        #expect(try AgeFile.decrypt(file, with: identity).bytes == bytes)
        let shortened = Array(file.dropLast())
        #expect(code { try AgeFile.decrypt(shortened, with: identity) } == .invalidRecovery)
    }

    @Test func `a file with any changed byte is refused`() throws {
        let identity = try AgeIdentity()
        let file = try AgeFile.encrypt(Array("value".utf8), to: identity.recipient)
        for index in file.indices {
            var changed = file
            changed[index] ^= 1
            #expect(code { try AgeFile.decrypt(changed, with: identity) } != nil)
        }
    }

    @Test(arguments: [0, 1, 65_536, 65_537])
    func `the program age opens the file, and its file is opened`(count: Int) throws {
        try #require(Self.isInstalled, "install the package age")
        let text = String(repeating: "x", count: count)
        let identity = try AgeIdentity()
        try folder.write(identity.text + "\n", to: "identity")
        let file = try AgeFile.encrypt(Array(text.utf8), to: identity.recipient)
        try Data(file).write(to: URL(filePath: folder.path("file.age")))
        let opening = try Program(
            Self.age, ["--decrypt", "-i", folder.path("identity"), folder.path("file.age")],
            output: .pipe)
        #expect(try opening.readToEnd() == Data(text.utf8))
        #expect(try opening.wait() == 0)
        try folder.write(text, to: "plain")
        let encrypting = try Program(
            Self.age,
            [
                "-r", identity.recipient.description, "-o", folder.path("theirs.age"),
                folder.path("plain"),
            ])
        #expect(try encrypting.wait() == 0)
        let theirs = try folder.content("theirs.age")
        #expect(try AgeFile.decrypt(theirs, with: identity).bytes == Array(text.utf8))
    }

    @Test(arguments: [
        "", "age1", "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqs5zfyf",
        "AGE-SECRET-KEY-1QQQQ",
    ])
    func `other texts are no recipients`(text: String) {
        #expect(AgeRecipient(text) == nil)
    }
}
