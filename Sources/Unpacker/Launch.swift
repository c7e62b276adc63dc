import Archive
import Glibc
import RunnerProtocol

/// What happens between `exec` and the last frame.
///
/// The host starts the program with
/// - descriptor 0 on the bytes of an archive, 1 on a pipe for the frames, 2 on `/dev/null`;
/// - the limits as four numbers, and an empty environment;
/// - from a thread that waits for its end, as the kernel's parent-death signal follows the thread.
///
/// Exit codes: 0 everything was said, also a refusal; 64 started by hand; 69 a layer of the sandbox
/// is missing; 70 libarchive does not work; 74 the archive cannot be read or nobody reads the frames.
enum Launch {
    static func run(arguments: ArraySlice<String>) -> Int32 {
        if Array(arguments) == ["--version"] {
            print(Release.version)
            fflush(nil)
            return 0
        }
        guard let limits = ArchiveLimits(words: arguments), isPipe(1) else {
            complain("this program is started by nervous; use `nervous install PACKAGE`")
            return 64
        }
        // A host that vanishes shows as an error of `write`, not as a signal.
        signal(SIGPIPE, SIG_IGN)
        leaveCrashesToTheKernel()
        // Without a zone of its own the C library would look for the machine's at every time it reads.
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
        // Not a byte of the archive was looked at before this line.
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

    /// The Swift runtime would look into the dying process, which the sandbox calls an escape.
    private static func leaveCrashesToTheKernel() {
        for fatal in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP, SIGXCPU] {
            signal(fatal, SIG_DFL)
        }
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    private static func complain(_ message: String) {
        let line = Array("nervous-unpacker: \(message)\n".utf8)
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}
