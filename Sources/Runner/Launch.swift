import CSandbox
import Glibc
import RunnerProtocol

/// What happens between `exec` and the first script.
///
/// The supervisor starts the program with
/// - descriptor 0 on `/dev/null`, 1 and 2 on pipes, 3 on one end of a connected Unix stream
///   socket, and nothing else;
/// - no argument, or `--insecure-no-sandbox`, or `--probe NAME` to try a way out in place of an app;
/// - an environment of its own making: none is needed; `TZ` and `LANG` set the app's time zone and
///   language; variables that begin with `JSC_` are options of the engine and must not be passed on;
/// - from a thread that lives as long as the host, because the kernel's parent-death signal
///   follows the thread.
///
/// Scripts arrive as `HostFrame.load`. One named `nervous:environment` may come first and set
/// `globalThis.location = "http://…"`, the base of relative addresses; `http://localhost/`
/// otherwise.
///
/// Exit codes: 0 and 1 as `RunnerFrame.finished` says, or what the app passed to `close`;
/// 64 started by hand; 69 a layer of the sandbox is missing; 70 the engine did not start;
/// 74 the host is gone; 76 the host sent what is no frame. Death by `SIGSYS` is an attempt to
/// leave the sandbox; by `SIGILL`, `SIGTRAP`, `SIGABRT` or `SIGSEGV` most often the end of memory,
/// which the engine meets with a crash where it has no exception to throw.
enum Launch {
    static let insecure = "--insecure-no-sandbox"

    static func run(arguments: ArraySlice<String>, socket: consuming ProtocolSocket) -> Int32 {
        do throws(LaunchError) {
            let isConfined = try isConfined(arguments)
            guard socket.isConnected else { throw .startedByHand }
            let probe = arguments.first == SelfTest.probe ? arguments.last : nil
            return try start(isConfined: isConfined, probe: probe, socket: socket)
        } catch {
            complain(error.message)
            return error.status
        }
    }

    private static func isConfined(_ arguments: ArraySlice<String>) throws(LaunchError) -> Bool {
        switch Array(arguments) {
        case []: true
        case [insecure]: false
        case let words where words.count == 2 && words[0] == SelfTest.probe: true
        default: throw .startedByHand
        }
    }

    private static func start(
        isConfined: Bool, probe: String?, socket: consuming ProtocolSocket
    ) throws(LaunchError) -> Int32 {
        // A host that vanishes shows as an error of `write`, not as a signal.
        signal(SIGPIPE, SIG_IGN)
        leaveCrashesToTheKernel()
        var confinement = Confinement(isOn: isConfined)
        try confinement.prepareProcess()
        EngineOptions.set()
        try confinement.narrowToStart()
        let engine = try quietly { () throws(LaunchError) in try Engine() }
        let run = Run(engine: engine, socket: socket)
        try run.prepare()
        try confinement.narrowToRun()
        if let probe { SelfTest.attempt(probe, in: run, layers: confinement.layers) }
        return run.go(layers: confinement.layers)
    }

    /// The Swift runtime would look into the dying process, which the sandbox calls an escape;
    /// running out of memory must not look like one.
    private static func leaveCrashesToTheKernel() {
        for fatal in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] {
            signal(fatal, SIG_DFL)
        }
    }

    /// The engine greets its options with a warning that is no concern of the app's owner.
    private static func quietly<T>(
        _ body: () throws(LaunchError) -> T
    ) throws(LaunchError) -> T {
        let errors = dup(2)
        dup2(0, 2)
        defer {
            dup2(errors, 2)
            close(errors)
        }
        return try body()
    }

    private static func complain(_ message: String) {
        let line = Array("nervous-runner: \(message)\n".utf8)
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}
