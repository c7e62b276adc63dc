import Glibc
import RunnerProtocol

/// One run of an app: starts its runner, carries its calls to the host, and ends it when it must.
///
/// The runner is taken to be hostile: who it is follows from its socket, and a frame that is not one
/// ends it.
public actor AppRun {
    /// Calls that may wait for an answer at once.
    private static let callLimit = 64
    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
    private static let pingInterval = Duration.seconds(1)
    private static let answerInterval = Duration.milliseconds(50)
    private static let outputLimit = 4096

    private let configuration: RunConfiguration
    private let origin: OwnOrigin
    private let connection: any HostConnection
    private let onEvent: @Sendable (RunEvent) async -> Void
    private let process: RunnerProcess
    private var calls: [UInt32: Task<Void, Never>] = [:]
    private var verdict: RunOutcome?
    private var answeredPing: UInt32 = 0
    private var isReady = false

    /// Starts the process; `run` does the rest.
    ///
    /// - Throws: `io` when it cannot be started.
    public init(
        _ configuration: RunConfiguration, connection: any HostConnection,
        onEvent: @escaping @Sendable (RunEvent) async -> Void
    ) async throws(JSAppsError) {
        self.configuration = configuration
        origin = OwnOrigin(app: configuration.app)
        self.connection = connection
        self.onEvent = onEvent
        var arguments = configuration.isInsecure ? ["--insecure-no-sandbox"] : []
        if let probe = configuration.probe { arguments = ["--probe", probe] }
        process = try await RunnerProcess.start(path: configuration.runner, arguments: arguments)
    }

    /// Goes on until the app has ended; when the task is cancelled, it is stopped.
    public func run() async -> RunOutcome {
        await withTaskCancellationHandler {
            async let complaint = output()
            let watching = Task { await watch() }
            await converse()
            watching.cancel()
            for call in calls.values { call.cancel() }
            process.kill()
            let ending = await process.wait()
            return outcome(ending, await complaint)
        } onCancel: {
            Task { await self.end(.stopped) }
        }
    }

    // MARK: - Conversation

    private func converse() async {
        var reader = FrameReader<RunnerFrame>()
        while verdict == nil {
            let bytes = await process.read()
            guard !bytes.isEmpty else { return }
            reader.append(bytes)
            do throws(FrameError) {
                while verdict == nil, let frame = try reader.next() { await receive(frame) }
            } catch {
                end(.protocolViolation("\(error)"))
            }
        }
    }

    private func receive(_ frame: RunnerFrame) async {
        switch frame {
        case .ready(let layers):
            guard !isReady else { return end(.protocolViolation("a second ready")) }
            isReady = true
            await onEvent(.started(layers: layers))
            await load()
        case .console(let level, let text):
            await onEvent(.console(level: RunEvent.Level(level), text: text))
        case .uncaught(let error):
            let place = error.file.isEmpty ? nil : "\(error.file):\(error.line):\(error.column)"
            await onEvent(.uncaught(message: error.message, place: place, stack: error.stack))
        case .request(let id, let method, let target, let headers, let body):
            begin(id, method, target, headers, body)
        case .cancel(let id):
            calls.removeValue(forKey: id)?.cancel()
        case .pong(let number):
            answeredPing = number
        case .finished(let code):
            end(.finished(code: code))
        }
    }

    private func load() async {
        let address = "http://\(origin.host)/"
        _ = await send(.load(name: "nervous:environment", source: "location = \"\(address)\";"))
        for script in configuration.scripts {
            _ = await send(.load(name: script.name, source: script.source))
        }
        _ = await send(.loaded)
    }

    private func send(_ frame: HostFrame) async -> Bool {
        await process.write(frame.encoded())
    }

    // MARK: - Calls

    private func begin(
        _ id: UInt32, _ method: String, _ target: String, _ headers: [HeaderField], _ body: [UInt8]
    ) {
        guard calls[id] == nil, calls.count < Self.callLimit else {
            return end(.protocolViolation("a call too many"))
        }
        // A method is written to the connection as it is: nothing may hide in it.
        guard method.utf8.allSatisfy(\.isTokenCharacter) else {
            return end(.protocolViolation("a method that is none"))
        }
        calls[id] = Task {
            await self.perform(id, method, target, headers, body)
            self.calls[id] = nil
        }
    }

    private func perform(
        _ id: UInt32, _ method: String, _ target: String, _ headers: [HeaderField], _ body: [UInt8]
    ) async {
        guard Self.methods.contains(method) else {
            _ = await send(.failure(id: id, message: "The host takes no \(method) calls."))
            return
        }
        guard let path = origin.path(of: target) else {
            let message =
                "This host does not let apps call other servers; it answers only at its own address."
            _ = await send(.failure(id: id, message: message))
            return
        }
        let call = HostCall(
            method: method, target: path, host: origin.host,
            headers: CallHeaders.allowed(headers) + [
                ("Authorization", "Bearer \(configuration.token)")
            ], body: body)
        do {
            let answer = try await connection.send(call)
            let fields = answer.headers.prefix(FrameLimits.headers).map(HeaderField.init)
            _ = await send(.response(id: id, status: answer.status, headers: fields))
            for try await piece in answer.body {
                for start in stride(from: 0, to: piece.count, by: FrameLimits.bodyPiece) {
                    let end = min(piece.count, start + FrameLimits.bodyPiece)
                    guard await send(.body(id: id, bytes: Array(piece[start..<end]))) else {
                        return
                    }
                }
            }
            _ = await send(.end(id: id))
        } catch {
            guard !Task.isCancelled else { return }
            _ = await send(.failure(id: id, message: "The host cannot be reached."))
        }
    }

    // MARK: - Ending

    /// Asks at intervals whether the event loop still turns.
    private func watch() async {
        var number: UInt32 = 0
        while !Task.isCancelled {
            number &+= 1
            let asked = number
            // Not waited for: a runner that does not read must not stop the watch.
            Task { _ = await self.send(.ping(asked)) }
            let deadline = ContinuousClock.now + configuration.patience
            while answeredPing != asked, !Task.isCancelled {
                if ContinuousClock.now >= deadline { return end(.unresponsive) }
                try? await Task.sleep(for: Self.answerInterval)
            }
            try? await Task.sleep(for: Self.pingInterval)
        }
    }

    /// The first verdict stands; the process does not outlive it.
    private func end(_ outcome: RunOutcome) {
        guard verdict == nil else { return }
        verdict = outcome
        process.kill()
        process.hangUp()
    }

    private func output() async -> String {
        var text: [UInt8] = []
        while true {
            let bytes = await process.readOutput()
            if bytes.isEmpty { break }
            text += bytes.prefix(Self.outputLimit - text.count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func outcome(_ ending: RunnerProcess.Ending, _ complaint: String) -> RunOutcome {
        if let verdict { return verdict }
        switch ending {
        case .signalled(SIGSYS): return .sandboxViolation
        case .signalled(let signal): return .crashed(signal: signal)
        case .exited(let code):
            return isReady
                ? .protocolViolation("it ended with \(code) and without a word")
                : .failedToStart(complaint)
        }
    }
}

extension UInt8 {
    /// Whether it may stand in a token of RFC 9110, the visible marks left out.
    fileprivate var isTokenCharacter: Bool {
        self == UInt8(ascii: "-") || Unicode.Scalar(self).properties.isAlphabetic && self < 0x80
    }
}
