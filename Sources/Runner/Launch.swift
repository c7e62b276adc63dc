import CSandbox
import Glibc
import RunnerProtocol

/// What happens between `exec` and the first script.
///
/// The supervisor starts the program with
/// - descriptor 0 on `/dev/null`, 1 and 2 on pipes, 3 on one end of a connected Unix stream
///   socket, and nothing else;
/// - no argument, or `--insecure-no-sandbox`; or `--zygote`, and it forks one runner for each
///   `ZygoteOrder` that comes over descriptor 3, which is a socket for packets then; with
///   `--probe NAME` at the end a runner tries a way out of the sandbox in place of an app;
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
/// 74 the host is gone; 76 the host sent what is no frame; 124 and 125 a turn of the app took too
/// long, in time or in processor time. Death by `SIGSYS` is an attempt to
/// leave the sandbox; by `SIGILL`, `SIGTRAP`, `SIGABRT` or `SIGSEGV` most often the end of memory,
/// which the engine meets with a crash where it has no exception to throw.
enum Launch {
    static let insecure = "--insecure-no-sandbox"
    static let zygote = "--zygote"

    static func run(arguments: ArraySlice<String>) -> Int32 {
        // A host that vanishes shows as an error of `write`, not as a signal.
        signal(SIGPIPE, SIG_IGN)
        takeAllSignals()
        leaveCrashesToTheKernel()
        do throws(LaunchError) {
            switch Array(arguments) {
            case []: return try runApp(isConfined: true)
            case [insecure]: return try runApp(isConfined: false)
            case [zygote]: return try forkRunners()
            case let words where words.dropLast() == [SelfTest.probe]:
                return try runApp(isConfined: true, probe: words.last)
            case let words where words.dropLast() == [zygote, SelfTest.probe]:
                return try forkRunners(probe: words.last)
            default: throw .startedByHand
            }
        } catch {
            complain(error.message)
            return error.status
        }
    }

    private static func runApp(
        isConfined: Bool, probe: String? = nil
    ) throws(LaunchError) -> Int32 {
        guard ProtocolSocket(descriptor: 3).isConnected else { throw .startedByHand }
        var confinement = Confinement(isOn: isConfined)
        try confinement.prepareProcess()
        EngineOptions.set()
        try confinement.narrowToStart()
        return try runEngine(confinement, probe: probe)
    }

    private static func forkRunners(probe: String? = nil) throws(LaunchError) -> Int32 {
        guard ProtocolSocket.isPacketSocket(3) else { throw .startedByHand }
        var confinement = Confinement(isOn: true)
        try confinement.prepareProcess()
        EngineOptions.set()
        try confinement.narrowToStart(process: "/proc")
        _ = Bootstrap.source
        let process = getpid()
        var zygote = Zygote(descriptor: 3)
        let order = try zygote.nextOrder(layers: confinement.layers)
        try confinement.separate(from: process, socket: order.socket, output: order.output)
        return try runEngine(confinement, limits: order.limits, probe: probe)
    }

    private static func runEngine(
        _ confinement: consuming Confinement, limits: ProcessLimits = ProcessLimits(),
        probe: String?
    ) throws(LaunchError) -> Int32 {
        let engine = try quietly { () throws(LaunchError) in try Engine() }
        let run = Run(engine: engine, socket: ProtocolSocket(descriptor: 3))
        try run.prepare()
        try confinement.narrowToRun(limits)
        if let probe { SelfTest.attempt(probe, in: run, layers: confinement.layers) }
        return run.go(layers: confinement.layers)
    }

    /// The threads of a host may hold signals back, and so would what they start: the ends of a turn and
    /// of all processor time would never be told.
    private static func takeAllSignals() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
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
