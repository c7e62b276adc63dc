import CEscapeProbes
import Glibc
import RunnerProtocol

/// What the program answers about itself, and the ways out of its sandbox that it tries when asked.
enum SelfTest {
    static let probe = "--probe"

    /// Answers `--version` and `--probes`.
    ///
    /// - Returns: the exit status; `nil` when it was asked for something else.
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

    /// Tries one way out in the place of an app: when it is let through, the run ends with 0 or with
    /// the `errno` of the call, else by the kernel's hand.
    static func attempt(_ name: String, in run: Run, layers: [String]) -> Never {
        let found = (0..<nervous_probe_count()).first {
            String(cString: nervous_probe_name($0)) == name
        }
        guard let found else { _exit(LaunchError.startedByHand.status) }
        run.send(.ready(layers: layers))
        run.finish(UInt8(clamping: nervous_probe_attempt(found)))
    }
}
