import RunnerProtocol

extension AppRun {
    /// Calls that may wait for an answer at once.
    private static let callLimit = 64
    private static let refusalDelay = Duration.milliseconds(250)
    /// Where calls go; what lies elsewhere is a file.
    private static let callPaths = ["/api/", "/nervous-api/", "/nervousnet-api/"]
    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    func begin(
        _ id: UInt32, _ method: String, _ target: String, _ headers: [HeaderField], _ body: [UInt8]
    ) {
        guard calls[id] == nil, calls.count < Self.callLimit else {
            return end(.protocolViolation("a call too many"))
        }
        // A method is written to the connection as it is: nothing may hide in it.
        guard method.utf8.count <= 32, method.utf8.allSatisfy(\.isTokenCharacter) else {
            return end(.protocolViolation("a method that is none"))
        }
        let headerBytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard target.utf8.count <= FrameLimits.target, body.count <= FrameLimits.body,
            headerBytes <= FrameLimits.headerBytes
        else { return end(.protocolViolation("a call that is too large")) }
        usage.calls += 1
        let isWithin = callMeter.add(1, at: instant)
        if configuration.time != nil { told.queue(id) }
        // On the thread that has just read the call: going to another and back takes longer than
        // most answers.
        calls[id] = Task(executorPreference: executor) {
            await self.awaitTurn(id)
            let last =
                isWithin
                ? await self.perform(id, method, target, headers, body) : await self.refusal(id)
            if let last { await self.conclude(id, [last]) }
            await self.endTurn(id, isWhole: true)
        }
    }

    /// Answers with a script that the app needs.
    func hand(_ library: RunnerLibrary, for id: UInt32) {
        guard calls[id] == nil, calls.count < Self.callLimit else {
            return end(.protocolViolation("a call too many"))
        }
        guard handed.insert(library).inserted else {
            return end(.protocolViolation("a library that it has"))
        }
        usage.calls += 1
        calls[id] = Task(executorPreference: executor) {
            guard let text = self.configuration.libraries[library] else {
                let message = RunLibraries.lack(of: library)
                return await self.conclude(id, [.failure(id: id, message: message)])
            }
            let head = HostFrame.response(id: id, status: 200, headers: [])
            await self.conclude(id, [head] + self.pieces(of: text, id) + [.end(id: id)])
        }
    }

    /// Sends the last of an answer; who has heard it may call again at once.
    func conclude(_ id: UInt32, _ frames: [HostFrame]) async {
        calls[id] = nil
        unheard += 1
        defer {
            unheard -= 1
            goOnListening()
        }
        _ = await send(frames)
    }

    /// Waits while the runner calls and does not listen, which must not fill the host's memory.
    func awaitHearing() async {
        guard unheard > Self.callLimit, verdict == nil else { return }
        await withCheckedContinuation { listening = $0 }
    }

    func goOnListening() {
        guard unheard <= Self.callLimit || verdict != nil else { return }
        listening?.resume()
        listening = nil
    }

    /// - Returns: whether the turn came; `false` when the runner no longer wants the answer.
    private func takeFileTurn(_ id: UInt32) async -> Bool {
        await withCheckedContinuation { turn in
            // The call may be taken back at any await: what is queued after that is never let go.
            if Task.isCancelled {
                turn.resume(returning: false)
            } else if isFileTaken {
                fileTurns.append((id, turn))
            } else {
                isFileTaken = true
                turn.resume(returning: true)
            }
        }
    }

    private func passFileTurn() {
        if fileTurns.isEmpty {
            isFileTaken = false
        } else {
            fileTurns.removeFirst().turn.resume(returning: true)
        }
    }

    /// Lets a call go that waits for its turn: the one before may never end.
    func leaveFileTurns(_ id: UInt32) {
        guard let place = fileTurns.firstIndex(where: { $0.id == id }) else { return }
        fileTurns.remove(at: place).turn.resume(returning: false)
    }

    /// The answer to one call too many; it is not given at once, so that asking on is no use.
    private func refusal(_ id: UInt32) async -> HostFrame? {
        guard (try? await Task.sleep(for: Self.refusalDelay)) != nil else { return nil }
        let limit = configuration.budget.callsPerMinute
        let message = "The app may make \(limit) calls a minute (budget calls-per-minute)."
        return .failure(id: id, message: message)
    }

    /// - Returns: why there is no whole answer; `nil` when there is, or nobody wants it any more.
    private func perform(
        _ id: UInt32, _ method: String, _ target: String, _ headers: [HeaderField], _ body: [UInt8]
    ) async -> HostFrame? {
        guard let path = origin.path(of: target) else {
            return await performElsewhere(id, method, target, headers, body)
        }
        guard Self.methods.contains(method) else {
            return .failure(id: id, message: "The host takes no \(method) calls.")
        }
        if path == configuration.starter, method == "POST" {
            let head = HostFrame.response(id: id, status: 204, headers: [])
            await conclude(id, frames.app + [head, .end(id: id)])
            return nil
        }
        // A file is held whole until the app has taken it: one at a time.
        let isFile = !Self.callPaths.contains(where: path.hasPrefix)
        if isFile { guard await takeFileTurn(id) else { return nil } }
        defer { if isFile { passFileTurn() } }
        guard !Task.isCancelled else { return nil }
        let call = HostCall(
            method: method, target: path, host: origin.host,
            headers: CallHeaders.allowed(headers) + [
                ("Authorization", "Bearer \(configuration.token)")
            ], body: body)
        do {
            try await connection.send(call) { part in try await self.pass(part, of: id) }
            return nil
        } catch {
            return Task.isCancelled
                ? nil : .failure(id: id, message: "The host's answer broke off.")
        }
    }

    func pass(_ part: HostAnswerPart, of id: UInt32) async throws {
        switch part {
        case .whole(let status, let headers, let body):
            await conclude(id, [head(id, status, headers)] + pieces(of: body, id) + [.end(id: id)])
        case .head(let status, let headers):
            guard await send([head(id, status, headers)]) else { throw CancellationError() }
            if headers.contains(where: Self.isEventStream), calls[id] != nil {
                told.streams.insert(id)
                endTurn(id)
            }
        case .body(let bytes):
            guard await send(pieces(of: bytes, id)) else { throw CancellationError() }
        case .end:
            await conclude(id, [.end(id: id)])
        }
    }

    private static func isEventStream(_ header: (name: String, value: String)) -> Bool {
        header.name.lowercased() == "content-type" && header.value.hasPrefix("text/event-stream")
    }

    private func head(
        _ id: UInt32, _ status: UInt16, _ headers: [(name: String, value: String)]
    ) -> HostFrame {
        let fields = headers.prefix(FrameLimits.headers).map(HeaderField.init)
        return .response(id: id, status: status, headers: fields)
    }

    func pieces(of bytes: [UInt8], _ id: UInt32) -> [HostFrame] {
        stride(from: 0, to: bytes.count, by: FrameLimits.bodyPiece).map { start in
            let end = min(bytes.count, start + FrameLimits.bodyPiece)
            return .body(id: id, bytes: Array(bytes[start..<end]))
        }
    }
}

extension UInt8 {
    /// Whether it may stand in a token of RFC 9110, the visible marks left out.
    fileprivate var isTokenCharacter: Bool {
        self == UInt8(ascii: "-") || Unicode.Scalar(self).properties.isAlphabetic && self < 0x80
    }
}
