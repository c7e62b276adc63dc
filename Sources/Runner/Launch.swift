import CSandbox
import CThreads
import Glibc
internal import Resources
import RunnerProtocol

/// The program `nervous-runner`.
///
/// The supervisor starts it with
/// - descriptor 0 on `/dev/null`, 1 and 2 on pipes, 3 on one end of a connected Unix stream
///   socket, and nothing else;
/// - arguments: none to run one app; `--insecure-no-sandbox` to run it without the sandbox; or
///   `--zygote` to fork one runner for each `ZygoteRequest` received on descriptor 3, which is then
///   a packet socket. With `--probe NAME` at the end, a runner attempts an escape from the sandbox
///   in place of an app;
/// - an environment that the host chooses and that may be empty: `TZ` and `LANG` set the app's time
///   zone and language; variables that begin with `JSC_` are options of the engine and must not be
///   inherited;
/// - from a thread that lives as long as the host, because the kernel's parent-death signal
///   follows the thread.
///
/// Scripts arrive as `HostFrame.load`. A script named `nervous:environment` may come first and set
/// `globalThis.location = "http://…"`, the base of relative addresses; without it, the base is
/// `http://localhost/`.
///
/// Exit codes: the code of `RunnerFrame.finished`; 64 started by hand; 69 a layer of the sandbox is
/// missing; 70 the engine did not start; 74 the host has ended; 76 the host sent an invalid frame;
/// 124 and 125 a turn of the app took too long, in time or in processor time. `SIGSYS` is an
/// attempt to escape the sandbox; `SIGILL`, `SIGTRAP`, `SIGABRT` or `SIGSEGV` most often mean
/// exhausted memory, at which the engine crashes if it cannot throw.
enum Launch {
    static let insecure = "--insecure-no-sandbox"
    static let zygote = "--zygote"

    static func run(arguments: ArraySlice<String>) -> Int32 {
        // If the host has ended, `write` fails.
        signal(SIGPIPE, SIG_IGN)
        unblockSignals()
        resetCrashSignals()
        do throws(LaunchError) {
            switch Array(arguments) {
            case []: try runApp(isConfined: true)
            case [insecure]: try runApp(isConfined: false)
            case [zygote]: try forkRunners()
            case let words where words.dropLast() == [SelfTest.probe]:
                try runApp(isConfined: true, probe: words.last)
            case let words where words.dropLast() == [zygote, SelfTest.probe]:
                try forkRunners(probe: words.last)
            default: throw .startedByHand
            }
        } catch {
            printError(error.message)
            return error.status
        }
    }

    private static func runApp(
        isConfined: Bool, probe: String? = nil
    ) throws(LaunchError) -> Never {
        guard ProtocolSocket(descriptor: 3).isConnected else { throw .startedByHand }
        var confinement = Confinement(isOn: isConfined)
        try confinement.prepareProcess()
        EngineOptions.set()
        try confinement.restrictForStart()
        try start(makeRun(), confinement, probe: probe)
    }

    private static func forkRunners(probe: String? = nil) throws(LaunchError) -> Never {
        guard ProtocolSocket.isPacketSocket(3) else { throw .startedByHand }
        var confinement = Confinement(isOn: true)
        try confinement.prepareProcess()
        EngineOptions.set()
        try confinement.restrictForStart(process: "/proc")
        nervous_threads_hold()
        let run = try makeRun()
        let process = getpid()
        var zygote = Zygote(descriptor: 3)
        let request = try zygote.nextRequest(layers: confinement.layers, of: run)
        try confinement.separate(from: process, socket: request.socket, output: request.output)
        try start(run, confinement, limits: request.limits, probe: probe)
    }

    /// A run whose engine has started and has evaluated the bootstrap scripts.
    private static func makeRun() throws(LaunchError) -> Run {
        let engine = try withoutWarnings { () throws(LaunchError) in try Engine() }
        let run = Run(engine: engine, socket: ProtocolSocket(descriptor: 3))
        try run.prepare()
        return run
    }

    private static func start(
        _ run: Run, _ confinement: consuming Confinement,
        limits: ProcessLimits = ProcessLimits(), probe: String?
    ) throws(LaunchError) -> Never {
        try run.begin()
        try confinement.restrictForRun(limits)
        if let probe { SelfTest.attempt(probe, in: run, layers: confinement.layers) }
        run.run(layers: confinement.layers)
    }

    /// The process inherits the blocked signals of the host's thread, but the limits of a turn and
    /// of processor time need their signals.
    private static func unblockSignals() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// The Swift runtime's crash handler makes system calls that the sandbox forbids, so exhausted
    /// memory would look like a sandbox violation.
    private static func resetCrashSignals() {
        for fatal in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] {
            signal(fatal, SIG_DFL)
        }
    }

    /// Suppresses the engine's warning about its options.
    private static func withoutWarnings<T>(
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

    private static func printError(_ message: String) {
        let line = Array("nervous-runner: \(message)\n".utf8)
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}

/// The limits of a run that the kernel enforces.
struct ProcessLimits {
    /// Seconds of processor time.
    var cpu: UInt32 = 86_400
    /// Bytes that the process may use in addition to those that it uses after its engine has
    /// started.
    var memory: UInt64 = 104 << 20
}

/// Why no app can be run, with the exit status of sysexits(3).
struct LaunchError: Error {
    let message: String
    let status: Int32

    static var startedByHand: LaunchError {
        LaunchError(
            message: "This program is started by nervous, with its socket as descriptor 3; "
                + "use `nervous run APP`.",
            status: 64)
    }

    static func missing(layer: String, code: Int32) -> LaunchError {
        LaunchError(
            message: "the kernel does not provide \(layer): \(String(cString: strerror(code)))",
            status: 69)
    }

    static func engine(_ message: String) -> LaunchError {
        LaunchError(message: "the JavaScript engine did not start: \(message)", status: 70)
    }

    static var hostEnded: LaunchError {
        LaunchError(message: "the host has ended", status: 74)
    }

    static var invalidRequest: LaunchError {
        LaunchError(message: "the host sent an invalid request", status: 76)
    }
}

/// The engine's options, which it reads when the first context is created.
enum EngineOptions {
    static func set() {
        for (name, value) in options { setenv(name, value, 1) }
        // Otherwise the C library reads `/etc/localtime` for every date.
        setenv("TZ", systemZone ?? "UTC", 0)
    }

    /// The zone that `/etc/localtime` links to, such as `Europe/Zurich`.
    private static var systemZone: String? {
        guard let path = realpath("/etc/localtime", nil) else { return nil }
        defer { free(path) }
        let marker = "zoneinfo/"
        var rest = String(cString: path)[...]
        while !rest.isEmpty {
            if rest.hasPrefix(marker) { return String(rest.dropFirst(marker.count)) }
            rest = rest.dropFirst()
        }
        return nil
    }

    private static var options: [(String, String)] {
        [
            // The cage reserves tens of gigabytes, which a memory limit would count as used.
            ("GIGACAGE_ENABLED", "0"),
            // Compiled code needs executable memory.
            ("JSC_useJIT", "0"),
            ("JSC_useWasm", "0"),
            // Garbage collection on the calling thread limits the process to two threads.
            ("JSC_useConcurrentGC", "0"),
            ("JSC_numberOfGCMarkers", "1"),
        ]
    }
}

/// The script that provides the web platform's functions.
///
/// It is a function expression: called with the primitives, it returns the dispatcher by which the
/// process calls JavaScript. Only what apps may use is added to the global object.
enum Bootstrap {
    static let name = "nervous:bootstrap"

    /// All parts share one scope, in this order.
    static let source: String = {
        "(function (host) { \"use strict\";\n"
            + RunnerScripts.all.map(\.text).joined(separator: "\n") + "})"
    }()

    /// The texts of the parts that are compiled at first use.
    ///
    /// Computed once, so that forked processes share them.
    static let parts: [String] = RunnerScripts.parts.map {
        $0.map(\.text).joined(separator: "\n")
    }

    /// A part as a function expression, called with an object that has the members `names`.
    static func part(_ number: Int, names: String) -> String {
        "(function (shared) { \"use strict\"; const { \(names) } = shared;\n\(parts[number])})"
    }
}

/// Makes the engine open the files that it reads at first use: time zones.
enum WarmUp {
    static let script = """
        {
            const now = new Date(0);
            now.getTimezoneOffset();
            String(now);
        }
        """
}
