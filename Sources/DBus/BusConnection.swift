import Foundation
import Synchronization

/// A connection to a D-Bus bus, served by a thread of its own that blocks in `poll`.
///
/// It can be used from any thread. Messages are limited by ``BusLimits`` before they are delivered.
/// It connects in the background: the first call fails if the bus cannot be reached.
///
/// ```swift
/// let bus = try BusConnection(address: BusAddress.system(in: environment))
/// let owner = try await bus.call(.owner(of: "org.bluez")).first?.text
/// ```
public final class BusConnection: Sendable {
    /// The default limit of a call.
    public static let defaultLimit = Duration.seconds(5)
    /// The maximum number of signals in the buffer of a stream.
    public static let waitingSignals = 8192

    private let mailbox: BusMailbox
    private let numbers = Atomic(0)

    /// Connects to a bus.
    ///
    /// - Parameter address: a D-Bus address, such as `unix:path=/run/dbus/system_bus_socket`.
    /// - Throws: ``BusError`` if this process has no file descriptors left.
    public init(address: String) throws(BusError) {
        let mailbox = try BusMailbox()
        self.mailbox = mailbox
        Thread.detachNewThread { BusLoop.run(address, mailbox) }
    }

    deinit { mailbox.post(.close(nil)) }

    /// Calls a method and waits for the reply.
    ///
    /// - Parameter limit: the time limit for connecting and the reply together.
    /// - Returns: the arguments of the reply.
    /// - Throws: ``BusError``; `cancelled` if the task is cancelled.
    public func call(
        _ call: BusCall, within limit: Duration = defaultLimit
    ) async throws(BusError) -> [BusValue] {
        let number = next()
        let deadline = ContinuousClock.now.advanced(by: limit)
        let pending = PendingCall()
        let result: PendingCall.Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                mailbox.post(
                    .call(number, call, PendingCall.Waiting(pending, waiter, until: deadline)))
            }
        } onCancel: {
            pending.cancel()
            mailbox.post(.cancel(number))
        }
        return try result.get()
    }

    /// Calls a method without a reply.
    ///
    /// ``close()`` sends pending calls.
    public func send(_ call: BusCall) {
        mailbox.post(.send(call))
    }

    /// A stream of the signals that match one of the rules.
    ///
    /// The rules are in effect before any later call is sent. The stream ends with a ``BusError``
    /// when the connection ends, the bus rejects a rule, or more than ``waitingSignals`` are
    /// buffered.
    public func signals(_ matches: [BusMatch]) -> AsyncThrowingStream<BusSignal, any Error> {
        let number = next()
        return AsyncThrowingStream(bufferingPolicy: .bufferingOldest(Self.waitingSignals)) {
            output in
            output.onTermination = { [mailbox] _ in mailbox.post(.leave(number)) }
            mailbox.post(.listen(number, matches, output))
        }
    }

    /// Sends pending messages for at most a second, and closes the connection.
    ///
    /// Waiting calls are cancelled.
    public func close() async {
        await withCheckedContinuation { mailbox.post(.close($0)) }
    }

    private func next() -> Int { numbers.add(1, ordering: .relaxed).newValue }
}

/// Addresses of buses.
public enum BusAddress {
    /// The system bus, found as libdbus and sd-bus do.
    public static func system(in environment: [String: String]) -> String {
        if let named = environment["DBUS_SYSTEM_BUS_ADDRESS"], !named.isEmpty { return named }
        return "unix:path=/run/dbus/system_bus_socket"
    }

    /// The address of a socket; its path is escaped.
    public static func socket(at path: String) -> String {
        "unix:path=" + path.utf8.map(escaped).joined()
    }

    private static func escaped(_ byte: UInt8) -> String {
        let character = Character(Unicode.Scalar(byte))
        let isPlain =
            character.isASCII
            && (character.isLetter || character.isNumber || "-_/.\\*".contains(character))
        let digits = String(byte, radix: 16)
        return isPlain ? String(character) : (byte < 16 ? "%0" : "%") + digits
    }
}
