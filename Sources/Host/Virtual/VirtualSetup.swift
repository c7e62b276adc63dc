import AppRuns
import Foundation
import Samples
import VM

/// What a host has in the place of the machine's sensors and clock.
struct VirtualSetup: Sendable {
    /// How fast time passes while an app waits.
    enum Speed: Sendable, Equatable {
        /// Nothing waits.
        case unbounded
        /// So many seconds of the app in one of the machine's.
        case times(Double)
    }

    let clock: VirtualClock
    let drivers: [any SensorDriver]
    let seed: UInt64
    /// Where the samples begin that are there when it all begins; those of that moment without it.
    var past: Timestamp?
    var speed = Speed.unbounded
    /// The folder of the apps; the data directory's own where it is `nil`.
    var apps: URL?
    /// Makes runners for several such hosts; each makes its own where it is `nil`.
    var pool: RunnerPool?
    /// How long a run may take, of the machine's time.
    var patience: Duration?
    /// What stands between an app and the API; nothing where it is left as it is.
    var between: @Sendable (any HostConnection) -> any HostConnection = { $0 }

    /// What an app may use: no minute is long when hours pass within it.
    func budget(_ given: RunBudget) -> RunBudget {
        var budget = given
        budget.cpuPerMinute = max(given.cpuPerMinute, given.cpu)
        if let patience { budget.duration = min(given.duration ?? patience, patience) }
        return budget
    }
}

extension VirtualSetup.Speed {
    /// Reads `max`, or a number above 0 and `x`.
    init?(_ text: String) {
        if text == "max" {
            self = .unbounded
            return
        }
        guard text.hasSuffix("x"), let factor = Double(text.dropLast()),
            (0.001...100_000).contains(factor)
        else { return nil }
        self = .times(factor)
    }
}
