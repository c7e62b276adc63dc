import Foundation
import Glibc

/// Standard output for bytes that are not made fit for a terminal.
enum RawOutput {
    /// - Parameter what: begins the sentence that refuses.
    /// - Throws: `CommandFailure` when it is a terminal, which texts of an app could drive.
    static func check(
        _ what: String = "Samples are",
        hint: String = "Look at them with nervous query, or send them to a file or a program."
    ) throws {
        guard isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                .usage, "\(what) written as they are, and not to a terminal.", hint: hint)
        }
    }

    /// - Returns: whether somebody still reads.
    /// - Throws: `CommandFailure` when writing fails.
    static func write(_ data: Data) throws -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                return false
            } else if errno != EINTR {
                throw CommandFailure(
                    .input,
                    "Standard output cannot be written: \(String(cString: strerror(errno)))."
                )
            }
        }
        return true
    }
}
