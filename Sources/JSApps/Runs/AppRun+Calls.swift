import RunnerProtocol

extension AppRun {
    /// Calls that may wait for an answer at once.
    private static let callLimit = 64
    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    func begin(
        _ id: UInt32, _ method: String, _ target: String, _ headers: [HeaderField], _ body: [UInt8]
    ) {
        guard calls[id] == nil, calls.count < Self.callLimit else {
            return end(.protocolViolation("a call too many"))
        }
        // A method is written to the connection as it is: nothing may hide in it.
        guard method.utf8.allSatisfy(\.isTokenCharacter) else {
            return end(.protocolViolation("a method that is none"))
        }
        usage.calls += 1
        let isWithin = callMeter.add(1, at: .now)
        // On the thread that has just read the call: going to another and back takes longer than
        // most answers.
        calls[id] = Task(executorPreference: executor) {
            if isWithin {
                await self.perform(id, method, target, headers, body)
            } else {
                await self.refuse(id)
            }
            await self.forget(id)
        }
    }

    private func forget(_ id: UInt32) {
        calls[id] = nil
    }

    private func refuse(_ id: UInt32) async {
        let limit = configuration.budget.callsPerMinute
        let message = "The app may make \(limit) calls a minute (budget calls-per-minute)."
        _ = await send(.failure(id: id, message: message))
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
            try await connection.send(call) { part in try await self.pass(part, of: id) }
        } catch {
            guard !Task.isCancelled else { return }
            _ = await send(.failure(id: id, message: "The host's answer broke off."))
        }
    }

    private func pass(_ part: HostAnswerPart, of id: UInt32) async throws {
        let frames: [HostFrame]
        switch part {
        case .whole(let status, let headers, let body):
            frames = [head(id, status, headers)] + pieces(of: body, id) + [.end(id: id)]
        case .head(let status, let headers): frames = [head(id, status, headers)]
        case .body(let bytes): frames = pieces(of: bytes, id)
        case .end: frames = [.end(id: id)]
        }
        guard await send(frames) else { throw CancellationError() }
    }

    private func head(
        _ id: UInt32, _ status: UInt16, _ headers: [(name: String, value: String)]
    ) -> HostFrame {
        let fields = headers.prefix(FrameLimits.headers).map(HeaderField.init)
        return .response(id: id, status: status, headers: fields)
    }

    private func pieces(of bytes: [UInt8], _ id: UInt32) -> [HostFrame] {
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
