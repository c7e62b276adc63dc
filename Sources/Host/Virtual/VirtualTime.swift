import API
import AppRuns
import Auth
import Provider
import Samples
import VM

/// The time of the apps of one host: it passes when an app waits, and sensors give what they have to
/// give on the way.
actor VirtualTime: VirtualRunTime {
    nonisolated let seed: UInt64
    nonisolated let start: Int64
    private let clock: VirtualClock
    private let machine: VirtualMachine
    private let authority: Authority
    private let turns: StreamScheduler
    private let speed: VirtualSetup.Speed
    /// When the token of the run was renewed last.
    private var renewed: Timestamp

    /// Well within the life of a run's token.
    private static let renewal: Int64 = 600_000_000

    init(
        _ setup: VirtualSetup, _ machine: VirtualMachine, _ authority: Authority,
        _ turns: StreamScheduler
    ) {
        seed = setup.seed
        clock = setup.clock
        start = setup.clock.start.microseconds
        speed = setup.speed
        renewed = setup.clock.start
        self.machine = machine
        self.authority = authority
        self.turns = turns
    }

    func catchUp() async { await turns.runOnce() }

    func advance(to deadline: Int64?) async throws -> RunMoment? {
        let now = clock.now
        let wanted = deadline.map { max(now, Timestamp(microseconds: $0)) }
        let sample = await machine.nextSample(of: await turns.sensors, after: now)
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
        return RunMoment(microseconds: time.microseconds, isDeadline: !isSample)
    }
}
