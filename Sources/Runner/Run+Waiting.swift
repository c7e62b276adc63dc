import RunnerProtocol

extension Run {
    /// Nanoseconds until an answer must have begun: a person may have to decide first.
    private static let longestWait: UInt64 = 600_000_000_000
    /// Nanoseconds in which an answer that has begun must end: a stream never does.
    private static let longestAnswer: UInt64 = 30_000_000_000
    /// Bytes of other answers that are kept meanwhile.
    private static let keptBytes = 8 << 20

    /// The whole of an answer.
    struct WholeAnswer {
        var status: UInt16 = 0
        var headers: [HeaderField] = []
        /// Where a redirect led; empty where none did.
        var url = ""
        var body: [UInt8] = []
    }

    /// Sends a frame that asks for something and waits until its answer is complete.
    ///
    /// Meanwhile the host's questions and limits are heeded; all else that comes is kept in its order.
    /// The time that the host takes is no part of the turn.
    ///
    /// - Parameter limit: milliseconds until the answer must be complete; 0 for the longest wait.
    /// - Throws: why there is none; the message is the host's, or says what bound was met.
    func answer(
        to id: UInt32, milliseconds limit: Double = 0, asking frame: RunnerFrame
    ) throws(PrimitiveError) -> WholeAnswer {
        requests.insert(id)
        send(frame)
        var answer = WholeAnswer()
        var kept = 0
        // The host's own time does not pass while it is waited for.
        let start = clock.steady
        var deadline = start + (limit > 0 ? UInt64(limit * 1_000_000) : Self.longestWait)
        while let frame = nextFrame(before: deadline) {
            switch frame {
            case .response(id, let status, let headers, let url):
                answer.status = status
                answer.headers = headers
                answer.url = url
                deadline = min(deadline, clock.steady + Self.longestAnswer)
            case .body(id, let bytes):
                answer.body += bytes
            case .end(id):
                requests.remove(id)
                return answer
            case .failure(id, let message):
                requests.remove(id)
                throw PrimitiveError(message)
            case .ping, .limits:
                handle(frame)
            case .body(_, let bytes):
                kept += bytes.count
                deferred.append(frame)
            default:
                deferred.append(frame)
            }
            if kept > Self.keptBytes { break }
        }
        requests.remove(id)
        send(.cancel(id: id))
        if kept > Self.keptBytes {
            throw PrimitiveError("too much of other answers came meanwhile")
        }
        throw PrimitiveError("the answer did not come in time")
    }

    /// The next frame from the host, or `nil` when none has come before `deadline`.
    private func nextFrame(before deadline: UInt64) -> HostFrame? {
        while true {
            if let frame = arrivedFrame() { return frame }
            let now = clock.steady
            guard now < deadline else { return nil }
            let rest = Int32(clamping: (deadline - now + 999_999) / 1_000_000)
            TurnLimit.pausing { waitAndReceive(milliseconds: rest) }
        }
    }
}
