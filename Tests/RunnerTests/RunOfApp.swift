import RunnerProtocol

/// The results of a complete run of one script.
struct RunOfApp {
    let frames: [RunnerFrame]
    let end: RunnerProcess.End
    let peak: Int

    /// The limits of a turn: processor time, which a busy machine does not lengthen, and a
    /// time that even a busy machine keeps.
    static let limits = HostFrame.limits(wall: 540_000, cpu: 5_000)

    /// Runs `source` as `app.js`; `answer` may respond to its requests.
    init(
        _ source: String, answer: (RunnerFrame, RunnerProcess) throws -> Void = { _, _ in }
    ) throws {
        try self.init(
            frames: [Self.limits, .load(name: "app.js", source: source), .loaded], answer: answer)
    }

    init(
        frames sent: [HostFrame], answer: (RunnerFrame, RunnerProcess) throws -> Void
    ) throws {
        let runner = try RunnerProcess()
        guard case .ready = try runner.next() else {
            throw RunnerProcess.Failure("the runner is not ready")
        }
        try runner.send(bytes: sent.flatMap { $0.encoded() })
        var frames: [RunnerFrame] = []
        while let frame = try runner.next() {
            frames.append(frame)
            try answer(frame, runner)
        }
        self.frames = frames
        end = try runner.end()
        peak = runner.peak
    }

    /// Runs `source` as `app.js`, and advances time to the next timer whenever it is idle.
    ///
    /// - Parameter start: in microseconds since 1970.
    init(inVirtualTimeFrom start: UInt64, seed: UInt64, _ source: String) throws {
        let begin: [HostFrame] = [
            Self.limits, .time(start: start, seed: seed), .load(name: "app.js", source: source),
            .loaded,
        ]
        var sent = UInt64(begin.count)
        try self.init(frames: begin) { frame, runner in
            guard case .idle(let heard, let next) = frame, heard == sent, let next else { return }
            sent += 1
            try runner.send(.advance(to: next, fires: true))
        }
    }

    /// The console's lines.
    var lines: [String] {
        frames.compactMap { if case .console(_, let text) = $0 { text } else { nil } }
    }

    var errors: [UncaughtError] {
        frames.compactMap { if case .uncaught(let error) = $0 { error } else { nil } }
    }
}
