internal import CSystemd
internal import Glibc

/// The thread of a connection, the only one that uses sd-bus.
final class BusLoop {
    typealias Output = AsyncThrowingStream<BusSignal, any Error>.Continuation

    private struct Listener {
        let matches: [BusMatch]
        let output: Output
    }

    /// The limit for sending pending messages before closing.
    private static let flushLimit = Duration.seconds(1)
    /// The number of messages that are processed before requests are checked again.
    private static let batch = 256

    private let mailbox: BusMailbox
    private let bus: OpaquePointer
    /// Calls by the cookie of their message.
    private var calls: [UInt64: (number: Int, waiting: PendingCall.Waiting)] = [:]
    private var listeners: [Int: Listener] = [:]
    /// The listeners of match rules that the bus has not confirmed yet, by cookie.
    private var confirmations: [UInt64: Int] = [:]
    private var closers: [CheckedContinuation<Void, Never>] = []
    private var isClosing = false

    /// Serves a connection until it ends.
    static func run(_ address: String, _ mailbox: BusMailbox) {
        var ending = BusError(.cancelled, "the connection was closed")
        var closers: [CheckedContinuation<Void, Never>] = []
        do throws(BusError) {
            let loop = try BusLoop(address, mailbox)
            defer { closers = loop.closers }
            do throws(BusError) {
                try loop.serve()
                loop.flush()
            } catch {
                ending = error
            }
            loop.fail(ending)
        } catch {
            ending = error
        }
        mailbox.end(ending)
        for closer in closers { closer.resume() }
    }

    private init(_ address: String, _ mailbox: BusMailbox) throws(BusError) {
        var made: OpaquePointer?
        var result = sd_bus_new(&made)
        guard result >= 0, let made else { throw BusError(.unreachable, result) }
        (bus, self.mailbox) = (made, mailbox)
        result = sd_bus_set_address(made, address)
        if result >= 0 { result = sd_bus_set_bus_client(made, 1) }
        // No program may pass file descriptors to this process.
        if result >= 0 { result = sd_bus_negotiate_fds(made, 0) }
        if result >= 0 { result = sd_bus_start(made) }
        guard result >= 0 else { throw BusError(.unreachable, result) }
    }

    deinit { sd_bus_close_unref(bus) }

    // MARK: - Waiting

    private func serve() throws(BusError) {
        while true {
            for request in mailbox.take() { perform(request) }
            if isClosing { return }
            let isIdle = try takeMessages()
            let due = expire()
            if isIdle { try wait(until: due, for: Int16(POLLIN)) }
        }
    }

    private func flush() {
        let deadline = ContinuousClock.now.advanced(by: Self.flushLimit)
        do throws(BusError) {
            while ContinuousClock.now < deadline {
                let isIdle = try takeMessages()
                var left: UInt64 = 0
                if sd_bus_get_n_queued_write(bus, &left) < 0
                    || left == 0 && sd_bus_is_ready(bus) > 0
                {
                    return
                }
                if isIdle { try wait(until: deadline, for: 0) }
            }
        } catch {
            // The connection is being closed.
        }
    }

    private func wait(
        until deadline: ContinuousClock.Instant?, for requestEvents: Int16
    ) throws(BusError) {
        let events = sd_bus_get_events(bus)
        let descriptor = sd_bus_get_fd(bus)
        guard events >= 0, descriptor >= 0 else {
            throw BusError(.unreachable, min(events, descriptor))
        }
        var polled = [
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
            pollfd(fd: mailbox.descriptor, events: requestEvents, revents: 0),
        ]
        poll(&polled, requestEvents == 0 ? 1 : 2, milliseconds(until: deadline))
    }

    private func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        var left = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
        var own: UInt64 = .max
        if sd_bus_get_timeout(bus, &own) >= 0, own != .max {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let passed = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
            let rest = Duration.microseconds(own > passed ? Int64(clamping: own - passed) : 0)
            left = left.map { min($0, rest) } ?? rest
        }
        guard let left else { return -1 }
        return Int32(min(left / .milliseconds(1) + 1, 3_600_000))
    }

    // MARK: - Requests

    private func perform(_ request: BusMailbox.Request) {
        switch request {
        case .call(let number, let call, let waiting):
            guard !waiting.call.isCancelled else { return waiting.end(.failure(Self.cancelled)) }
            do throws(BusError) {
                calls[try send(call, isAnswered: true)] = (number, waiting)
            } catch {
                waiting.end(.failure(error))
            }
        case .cancel(let number):
            guard let call = calls.first(where: { $0.value.number == number }) else { return }
            calls[call.key] = nil
            call.value.waiting.end(.failure(Self.cancelled))
        case .send(let call): _ = try? send(call, isAnswered: false)
        case .listen(let number, let matches, let output):
            listeners[number] = Listener(matches: matches, output: output)
            do throws(BusError) {
                for match in matches {
                    let cookie = try send(Self.matching("AddMatch", match), isAnswered: true)
                    confirmations[cookie] = number
                }
            } catch {
                listeners[number] = nil
                output.finish(throwing: error)
            }
        case .leave(let number):
            guard let listener = listeners.removeValue(forKey: number) else { return }
            for match in listener.matches {
                _ = try? send(Self.matching("RemoveMatch", match), isAnswered: false)
            }
        case .close(let waiter):
            isClosing = true
            if let waiter { closers.append(waiter) }
        }
    }

    /// - Returns: the cookie of the message.
    private func send(_ call: BusCall, isAnswered: Bool) throws(BusError) -> UInt64 {
        let message = try BusMessage.calling(call, on: bus)
        var cookie: UInt64 = 0
        let result =
            isAnswered
            ? sd_bus_send(bus, message.pointer, &cookie) : sd_bus_send(bus, message.pointer, nil)
        guard result >= 0 else { throw BusError(.unreachable, result) }
        return cookie
    }

    private static func matching(_ method: String, _ match: BusMatch) -> BusCall {
        BusCall(
            BusSignal.bus, path: "/org/freedesktop/DBus", interface: BusSignal.bus, method,
            [.string(match.rule)])
    }

    // MARK: - Messages

    /// - Returns: whether no message is left.
    private func takeMessages() throws(BusError) -> Bool {
        for _ in 0..<Self.batch {
            var taken: OpaquePointer?
            let result = sd_bus_process(bus, &taken)
            let message = taken.map { BusMessage($0) }
            guard result >= 0 else { throw BusError(.unreachable, result) }
            guard result > 0 else { return true }
            if let message { take(message) }
        }
        return false
    }

    private func take(_ message: borrowing BusMessage) {
        switch Int(message.type) {
        case SD_BUS_MESSAGE_METHOD_RETURN, SD_BUS_MESSAGE_METHOD_ERROR: takeAnswer(message)
        case SD_BUS_MESSAGE_SIGNAL: takeSignal(message)
        // This program has no objects on the bus.
        default: sd_bus_reply_method_errno(message.pointer, -EOPNOTSUPP, nil)
        }
    }

    private func takeAnswer(_ message: borrowing BusMessage) {
        guard let cookie = message.answered else { return }
        if let number = confirmations.removeValue(forKey: cookie) {
            guard case .failure(let error) = message.outcome() else { return }
            listeners.removeValue(forKey: number)?.output.finish(throwing: error)
        } else {
            calls.removeValue(forKey: cookie)?.waiting.end(message.outcome())
        }
    }

    private func takeSignal(_ message: borrowing BusMessage) {
        // Any program can send signals; signals of unmatched senders are not parsed.
        let sender = message.sender
        let listening = listeners.filter { $0.value.matches.contains { $0.sender == sender } }
        guard !listening.isEmpty else { return }
        do throws(BusError) {
            guard let signal = try message.signal() else { return }
            for (number, listener) in listening
            where listener.matches.contains(where: { $0.matches(signal) }) {
                guard case .dropped = listener.output.yield(signal) else { continue }
                listener.output.finish(
                    throwing: BusError(.excessive, "signals arrive faster than they are read"))
                listeners[number] = nil
            }
        } catch {
            // A signal was lost, so the streams must end.
            for (number, listener) in listening {
                listener.output.finish(throwing: error)
                listeners[number] = nil
            }
        }
    }

    // MARK: - Ending

    /// Fails the calls whose limit passed.
    ///
    /// - Returns: the deadline of the next call.
    private func expire() -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        for (cookie, call) in calls where call.waiting.deadline <= now {
            calls[cookie] = nil
            call.waiting.end(.failure(BusError(.timedOut, "no reply came in time")))
        }
        return calls.values.map(\.waiting.deadline).min()
    }

    private func fail(_ error: BusError) {
        for call in calls.values { call.waiting.end(.failure(error)) }
        for listener in listeners.values { listener.output.finish(throwing: error) }
        (calls, listeners) = ([:], [:])
    }

    private static let cancelled = BusError(.cancelled, "the call was cancelled")
}
