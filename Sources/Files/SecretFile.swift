import Glibc

/// A file that holds a password or a token, and nothing else but the end of its line.
public enum SecretFile {
    private static let longest = 1024

    /// What it holds, 1 to 1024 bytes of UTF-8 without control characters.
    ///
    /// - Throws: `failed` when it cannot be read or holds something else; its content is never told.
    public static func line(in path: String) throws(FilesError) -> String {
        // A pipe of that name must not be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last("Cannot read \(path)") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: longest + 2)
        var count = 0
        while count < bytes.count {
            let more = bytes[count...].withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress, $0.count)
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw .last("Cannot read \(path)") }
            guard more > 0 else { break }
            count += more
        }
        var text = String(validating: bytes[..<count], as: UTF8.self) ?? ""
        while text.last?.isNewline == true { text.removeLast() }
        guard (1...longest).contains(text.utf8.count), !text.utf8.contains(where: { $0 < 0x20 })
        else {
            let reason = "it does not hold one line of 1 to \(longest) bytes"
            throw FilesError(.failed, "Cannot read \(path): \(reason).", reason: reason, hint: nil)
        }
        return text
    }
}
