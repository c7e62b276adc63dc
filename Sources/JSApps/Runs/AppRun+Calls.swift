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
        calls[id] = Task {
            if isWithin {
                await self.perform(id, method, target, headers, body)
            } else {
                await self.refuse(id)
            }
            self.calls[id] = nil
        }
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
            _ = await send(.end(id: id))
        } catch {
            guard !Task.isCancelled else { return }
            _ = await send(.failure(id: id, message: "The host's answer broke off."))
        }
    }

    private func pass(_ part: HostAnswerPart, of id: UInt32) async throws {
        switch part {
        case .head(let status, let headers):
            let fields = headers.prefix(FrameLimits.headers).map(HeaderField.init)
            guard await send(.response(id: id, status: status, headers: fields)) else {
                throw CancellationError()
            }
        case .body(let bytes):
            for start in stride(from: 0, to: bytes.count, by: FrameLimits.bodyPiece) {
                let end = min(bytes.count, start + FrameLimits.bodyPiece)
                guard await send(.body(id: id, bytes: Array(bytes[start..<end]))) else {
                    throw CancellationError()
                }
            }
        }
    }
}

extension UInt8 {
    /// Whether it may stand in a token of RFC 9110, the visible marks left out.
    fileprivate var isTokenCharacter: Bool {
        self == UInt8(ascii: "-") || Unicode.Scalar(self).properties.isAlphabetic && self < 0x80
    }
}
