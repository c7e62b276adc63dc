package import AppRuns
import Auth
package import Foundation
import Provider
package import Samples
import Synchronization
package import VM

/// A clock that advances only when it is set, and never runs backwards.
package final class VirtualClock: Sendable {
    package let start: Timestamp
    private let time: Mutex<Timestamp>

    package init(start: Timestamp) {
        self.start = start
        time = Mutex(start)
    }

    package var now: Timestamp { time.withLock { $0 } }

    func advance(to moment: Timestamp) {
        time.withLock { $0 = max($0, moment) }
    }
}

/// Replaces the machine's sensors and clock in a host for tests, trials and replays.
package struct VirtualSetup: Sendable {
    /// How fast virtual time passes while an app waits.
    package enum Speed: Sendable, Equatable {
        /// Without waiting.
        case unbounded
        /// Virtual seconds per second.
        case times(Double)
    }

    package let clock: VirtualClock
    let drivers: [any SensorDriver]
    let seed: UInt64
    /// The time of the oldest samples at the start; by default, the start itself.
    let historyStart: Timestamp?
    let speed: Speed
    /// The folder of the apps; `nil` for the one in the data directory.
    let apps: URL?
    /// The runners, if several such hosts share them; `nil` for a pool of this host's own.
    let pool: RunnerPool?
    /// The longest real time of a run.
    let timeLimit: Duration?
    /// Wraps the connection between an app and the API.
    let wrapConnection: @Sendable (any HostConnection) -> any HostConnection

    package init(
        clock: VirtualClock, drivers: [any SensorDriver], seed: UInt64,
        historyStart: Timestamp? = nil,
        speed: Speed = .unbounded, apps: URL? = nil, pool: RunnerPool? = nil,
        timeLimit: Duration? = nil,
        wrapConnection: @escaping @Sendable (any HostConnection) -> any HostConnection = { $0 }
    ) {
        self.clock = clock
        self.drivers = drivers
        self.seed = seed
        self.historyStart = historyStart
        self.speed = speed
        self.apps = apps
        self.pool = pool
        self.timeLimit = timeLimit
        self.wrapConnection = wrapConnection
    }

    /// The budget of an app: limits per minute of real time would cut virtual hours short.
    func budget(_ given: RunBudget) -> RunBudget {
        var budget = given
        budget.cpuPerMinute = max(given.cpuPerMinute, given.cpu)
        if let timeLimit { budget.duration = min(given.duration ?? timeLimit, timeLimit) }
        return budget
    }
}

extension VirtualSetup.Speed {
    /// Reads `max`, or a number above 0 and `x`.
    package init?(_ text: String) {
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

/// Virtual time of the apps of one host: it advances when an app waits, and sensors deliver the
/// samples that are due on the way.
actor VirtualTime: VirtualRunTime {
    nonisolated let seed: UInt64
    nonisolated let start: Int64
    private let clock: VirtualClock
    private let machine: VirtualMachine
    private let authority: Authority
    private let streams: StreamScheduler
    private let speed: VirtualSetup.Speed
    /// When the tokens of the runs were last renewed.
    private var renewed: Timestamp

    /// Well within the lifetime of a run's token.
    private static let renewal: Int64 = 600_000_000

    init(
        _ setup: VirtualSetup, _ machine: VirtualMachine, _ authority: Authority,
        _ streams: StreamScheduler
    ) {
        seed = setup.seed
        clock = setup.clock
        start = setup.clock.start.microseconds
        speed = setup.speed
        renewed = setup.clock.start
        self.machine = machine
        self.authority = authority
        self.streams = streams
    }

    func deliverPendingSamples() async { await streams.runOnce() }

    func advance(to deadline: Int64?) async throws -> AdvanceResult? {
        let now = clock.now
        let wanted = deadline.map { max(now, Timestamp(microseconds: $0)) }
        let sample = await machine.nextSample(of: await streams.sensors, after: now)
        let isSample = sample.map { sample in wanted.map { sample <= $0 } ?? true } ?? false
        guard let time = isSample ? sample : wanted else { return nil }
        if case .times(let factor) = speed, time > now {
            let rest = Double(time.microseconds - now.microseconds) / factor
            try await Task.sleep(for: .microseconds(Int64(rest)))
        }
        clock.advance(to: time)
        try await machine.play(after: now, through: time)
        if time.microseconds - renewed.microseconds > Self.renewal {
            renewed = time
            for run in await authority.runs { try? await authority.renewRun(run) }
        }
        return AdvanceResult(microseconds: time.microseconds, isDeadline: !isSample)
    }
}
