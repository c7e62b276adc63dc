import RunnerProtocol

/// The results of a complete run of one script.
struct RunOfApp {
    let frames: [RunnerFrame]
    let end: RunnerProcess.End
    let peak: Int

    /// Runs `source` as `app.js`; `answer` may respond to its requests.
    init(
        _ source: String, answer: (RunnerFrame, RunnerProcess) throws -> Void = { _, _ in }
    ) throws {
        try self.init(frames: [.load(name: "app.js", source: source), .loaded], answer: answer)
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

    /// The console's lines.
    var lines: [String] {
        frames.compactMap { if case .console(_, let text) = $0 { text } else { nil } }
    }

    var errors: [UncaughtError] {
        frames.compactMap { if case .uncaught(let error) = $0 { error } else { nil } }
    }
}
