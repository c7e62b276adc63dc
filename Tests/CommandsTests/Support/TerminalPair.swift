import Dispatch
import Foundation
import Glibc

/// A pseudo-terminal whose program is in this process, controlled by a test.
///
/// Nothing here blocks a thread, because the program under test needs the same threads.
final class TerminalPair {
    /// The path that the program opens.
    let path: String
    /// The program's side, kept open so that a test can read its state.
    let program: Int32
    private let master: Int32
    private let source: any DispatchSourceRead
    private var output: AsyncStream<[UInt8]>.Iterator
    /// All output.
    private(set) var bytes: [UInt8] = []
    private var seen = 0

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(columns: Int = 80, rows: Int = 24) throws {
        var number: Int32 = 0
        var opened = (master: Int32(-1), program: Int32(-1))
        var size = winsize(
            ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        (opened.master, number) = try PseudoTerminal.openMaster(&size)
        path = "/dev/pts/\(number)"
        opened.program = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard opened.program >= 0 else { throw Failure(description: "cannot open \(path)") }
        (master, program) = opened
        let (stream, arrived) = AsyncStream.makeStream(of: [UInt8].self)
        output = stream.makeAsyncIterator()
        source = DispatchSource.makeReadSource(fileDescriptor: master)
        source.setEventHandler { [master] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(master, &buffer, buffer.count)
            if count > 0 { arrived.yield(Array(buffer.prefix(count))) } else { arrived.finish() }
        }
        source.setCancelHandler { [master, program] in
            close(master)
            close(program)
        }
        source.activate()
    }

    deinit {
        source.cancel()
    }

    var text: String { String(decoding: bytes.filter { $0 != 0x0D }, as: UTF8.self) }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// Reads until `text` occurs after the previously awaited text.
    func await(_ text: String) async throws {
        let wanted = Array(text.utf8)
        var start = seen
        while true {
            while start + wanted.count <= bytes.count {
                if bytes[start...].starts(with: wanted) {
                    seen = start + wanted.count
                    return
                }
                start += 1
            }
            guard let more = await output.next() else {
                throw Failure(description: "“\(text)” did not appear; the output is:\n\(self.text)")
            }
            bytes += more
        }
    }

    /// Reads until all output of the program has arrived.
    func drain() async throws {
        let end = "~ drained ~"
        _ = write(program, end, end.utf8.count)
        try await `await`(end)
        bytes.removeLast(end.utf8.count)
        seen = bytes.count
    }

    /// The number of bytes that the program has not read.
    var typedAhead: Int {
        var count: Int32 = 0
        _ = ioctl(program, 0x541B as UInt, &count)
        return Int(count)
    }

    /// Whether the kernel echoes input, and handles lines and signals.
    var isCooked: Bool {
        var mode = termios()
        tcgetattr(program, &mode)
        return mode.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == tcflag_t(ECHO | ICANON | ISIG)
    }

    /// Disconnects the terminal, like closing its window.
    func hangUp() {
        source.cancel()
    }
}
