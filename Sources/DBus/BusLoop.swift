internal import CSystemd
internal import Glibc

/// The thread of a connection, which alone touches sd-bus.
final class BusLoop {
    typealias Output = AsyncThrowingStream<BusSignal, any Error>.Continuation

    private struct Listener {
        let matches: [BusMatch]
        let output: Output
    }

    /// How long the last messages may take to be sent.
    private static let farewell = Duration.seconds(1)
    /// Messages that are taken before orders are looked at again.
    private static let portion = 256

    private let mailbox: BusMailbox
    private let bus: OpaquePointer
    /// Calls by the number of their message.
    private var calls: [UInt64: (number: Int, waiting: BusTicket.Waiting)] = [:]
    private var listeners: [Int: Listener] = [:]
    /// What the bus has not confirmed yet, and for whom.
    private var confirmations: [UInt64: Int] = [:]
    private var closers: [CheckedContinuation<Void, Never>] = []
    private var isClosing = false

    /// Serves a connection until it ends or is closed.
    static func run(_ address: String, _ mailbox: BusMailbox) {
        var ending = BusError(.cancelled, "the connection was closed")
        var closers: [CheckedContinuation<Void, Never>] = []
        do throws(BusError) {
            let loop = try BusLoop(address, mailbox)
            defer { closers = loop.closers }
            do throws(BusError) {
                try loop.serve()
                loop.sayFarewell()
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
        // Nobody is to hand this process descriptors.
        if result >= 0 { result = sd_bus_negotiate_fds(made, 0) }
        if result >= 0 { result = sd_bus_start(made) }
        guard result >= 0 else { throw BusError(.unreachable, result) }
    }

    deinit { sd_bus_close_unref(bus) }

    // MARK: - Waiting

    private func serve() throws(BusError) {
        while true {
            for order in mailbox.take() { obey(order) }
            if isClosing { return }
            let isIdle = try takeMessages()
            let due = expire()
            if isIdle { try wait(until: due, for: Int16(POLLIN)) }
        }
    }

    private func sayFarewell() {
        let deadline = ContinuousClock.now.advanced(by: Self.farewell)
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
            // There is nobody left to say it to.
        }
    }

    private func wait(
        until deadline: ContinuousClock.Instant?, for orders: Int16
    ) throws(BusError) {
        let events = sd_bus_get_events(bus)
        let descriptor = sd_bus_get_fd(bus)
        guard events >= 0, descriptor >= 0 else {
            throw BusError(.unreachable, min(events, descriptor))
        }
        var polled = [
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
            pollfd(fd: mailbox.descriptor, events: orders, revents: 0),
        ]
        poll(&polled, orders == 0 ? 1 : 2, milliseconds(until: deadline))
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

    // MARK: - Orders

    private func obey(_ order: BusMailbox.Order) {
        switch order {
        case .call(let number, let call, let waiting):
            guard !waiting.ticket.isCancelled else { return waiting.end(.failure(Self.cancelled)) }
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

    /// - Returns: the number of the message.
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

    /// - Returns: whether nothing is left to be taken.
    private func takeMessages() throws(BusError) -> Bool {
        for _ in 0..<Self.portion {
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
        // This program offers nothing over the bus.
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
        // Anybody may send one; of those whom nobody listens to it is not even read.
        let sender = message.sender
        let listening = listeners.filter { $0.value.matches.contains { $0.sender == sender } }
        guard !listening.isEmpty else { return }
        do throws(BusError) {
            guard let signal = try message.signal() else { return }
            for (number, listener) in listening
            where listener.matches.contains(where: { $0.fits(signal) }) {
                guard case .dropped = listener.output.yield(signal) else { continue }
                listener.output.finish(
                    throwing: BusError(.excessive, "signals come faster than they can be taken"))
                listeners[number] = nil
            }
        } catch {
            // Nobody is to go on as if nothing had come.
            for (number, listener) in listening {
                listener.output.finish(throwing: error)
                listeners[number] = nil
            }
        }
    }

    // MARK: - Ends

    /// - Returns: when the next call is due.
    private func expire() -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        for (cookie, call) in calls where call.waiting.deadline <= now {
            calls[cookie] = nil
            call.waiting.end(.failure(BusError(.silent, "no answer came in time")))
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
