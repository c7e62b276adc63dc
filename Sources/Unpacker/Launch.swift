import Archive
import Glibc
import RunnerProtocol

/// The program `nervous-unpacker`.
///
/// The host starts it with
/// - descriptor 0 on the bytes of an archive, 1 on a pipe for the frames, 2 on `/dev/null`;
/// - the limits as four numbers, and an empty environment;
/// - from a thread that waits for its end, because the kernel's parent-death signal follows the
///   thread.
///
/// Exit codes: 0 all frames were sent, including a rejection; 64 started by hand; 69 a layer of the
/// sandbox is missing; 70 libarchive does not work; 74 the archive cannot be read or the pipe is
/// closed.
enum Launch {
    static func run(arguments: ArraySlice<String>) -> Int32 {
        if Array(arguments) == ["--version"] {
            print(Release.version)
            fflush(nil)
            return 0
        }
        guard let limits = ArchiveLimits(arguments: arguments), isPipe(1) else {
            printError("This program is started by nervous; use `nervous install PACKAGE`.")
            return 64
        }
        // If the host has ended, `write` fails.
        signal(SIGPIPE, SIG_IGN)
        resetCrashSignals()
        // Otherwise the C library would read the machine's time zone from a file.
        setenv("TZ", "UTC0", 1)
        return UTF8Locale.use { unpack(within: limits) }
    }

    private static func unpack(within limits: ArchiveLimits) -> Int32 {
        guard Unpacking.warmUp() else { return 70 }
        var output = FrameOutput(descriptor: 1)
        do throws(MissingLayer) {
            try Confinement.apply(limits)
        } catch {
            _ = output.send(.unconfined(layer: error.layer, code: UInt32(error.code)))
            _ = output.flush()
            return 69
        }
        // The archive is read only now, after confinement.
        guard let archive = read(0, atMost: limits.archiveBytes + 1) else { return 74 }
        Unpacking.unpack(archive, limits: limits) { output.send($0) }
        return output.flush() ? 0 : 74
    }

    private static func read(_ descriptor: Int32, atMost limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    /// The Swift runtime's crash handler makes system calls that the sandbox forbids.
    private static func resetCrashSignals() {
        for fatal in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP, SIGXCPU] {
            signal(fatal, SIG_DFL)
        }
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    private static func printError(_ message: String) {
        let line = Array("nervous-unpacker: \(message)\n".utf8)
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}

/// Writes frames to a pipe, buffered.
private struct FrameOutput: ~Copyable {
    /// The number of buffered bytes from which they are written.
    private static let flushThreshold = 64 << 10

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Returns: `false` if the pipe is closed.
    mutating func send(_ frame: UnpackerFrame) -> Bool {
        buffer += frame.encoded()
        return buffer.count < Self.flushThreshold || flush()
    }

    /// - Returns: `false` if the pipe is closed.
    mutating func flush() -> Bool {
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        buffer.removeAll(keepingCapacity: true)
        return true
    }
}
