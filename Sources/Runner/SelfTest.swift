import CEscapeProbes
import Glibc
import RunnerProtocol

/// The options `--version` and `--probes`, and attempts to escape from the sandbox.
enum SelfTest {
    static let probe = "--probe"

    /// Handles `--version` and `--probes`.
    ///
    /// - Returns: the exit status; `nil` for other arguments.
    static func answer(_ arguments: ArraySlice<String>) -> Int32? {
        switch Array(arguments) {
        case ["--version"]: print(Release.version)
        case ["--probes"]:
            for index in 0..<nervous_probe_count() {
                let name = String(cString: nervous_probe_name(index))
                let family = String(cString: nervous_probe_family(index))
                print("\(name)\t\(family)\t\(nervous_probe_answer(index))")
            }
        default: return nil
        }
        fflush(nil)
        return 0
    }

    /// Attempts an escape in place of an app: if the kernel does not kill the process, the run ends
    /// with 0 or with the `errno` of the call.
    static func attempt(_ name: String, in run: Run, layers: [String]) -> Never {
        let found = (0..<nervous_probe_count()).first {
            String(cString: nervous_probe_name($0)) == name
        }
        guard let found else { _exit(LaunchError.startedByHand.status) }
        run.send(.ready(layers: layers))
        run.finish(UInt8(clamping: nervous_probe_attempt(found)))
    }
}
