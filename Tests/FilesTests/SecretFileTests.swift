import Files
import Foundation
import TestSupport
import Testing

struct SecretFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func secret(_ bytes: [UInt8]) throws -> String {
        let path = folder.path + "/secret"
        try Data(bytes).write(to: URL(filePath: path))
        return try SecretFile.line(in: path)
    }

    @Test(arguments: [
        ("hush", "hush"), ("hush\n", "hush"), ("hush\r\n", "hush"), (" hush ", " hush "),
        ("h\u{FC}sh\n\n", "h\u{FC}sh"), (String(repeating: "x", count: 1024), nil as String?),
    ])
    func `the line is returned without its line end`(text: String, line: String?) throws {
        #expect(try secret(Array(text.utf8)) == line ?? text)
    }

    @Test(arguments: [
        "", "\n", "two\nlines", "a\tb", String(repeating: "x", count: 1025),
        String(repeating: "x", count: 1_000_000),
    ])
    func `invalid content is rejected and not shown in the error`(text: String) throws {
        #expect {
            try secret(Array(text.utf8))
        } throws: { error in
            let message = (error as? FilesError)?.message ?? ""
            return message.hasSuffix("it does not contain one line of 1 to 1024 bytes.")
        }
    }

    @Test func `bytes that are not UTF-8, a folder and a missing file are rejected`() throws {
        #expect(throws: FilesError.self) { try secret([0xFF, 0xFE]) }
        #expect(throws: FilesError.self) { try SecretFile.line(in: folder.path) }
        #expect(throws: FilesError.self) { try SecretFile.line(in: folder.path + "/none") }
    }
}
