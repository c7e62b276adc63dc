import Foundation
import Synchronization

/// A connection to a bus of D-Bus, served by a thread of its own, which waits and never polls.
///
/// Safe from any thread. What comes over the bus is bounded (``BusLimits``) before it is handed out. The
/// bus is connected to in the background: the first call says whether it can be reached.
///
/// ```swift
/// let bus = try BusConnection(address: BusAddress.system(in: environment))
/// let owner = try await bus.call(.owner(of: "org.bluez")).first?.text
/// ```
public final class BusConnection: Sendable {
    /// How long an answer may take where nothing else is said.
    public static let patience = Duration.seconds(5)
    /// The most signals that wait for one who listens.
    public static let waitingSignals = 8192

    private let mailbox: BusMailbox
    private let numbers = Atomic(0)

    /// - Parameter address: as D-Bus writes it, such as `unix:path=/run/dbus/system_bus_socket`.
    /// - Throws: ``BusError`` where this process can open nothing more.
    public init(address: String) throws(BusError) {
        let mailbox = try BusMailbox()
        self.mailbox = mailbox
        Thread.detachNewThread { BusLoop.run(address, mailbox) }
    }

    deinit { mailbox.post(.close(nil)) }

    /// Calls a method and waits for the answer.
    ///
    /// - Parameter limit: how long it may take, also the time until the bus can be reached.
    /// - Returns: the arguments of the answer.
    /// - Throws: ``BusError``; `cancelled` soon after the task is.
    public func call(
        _ call: BusCall, within limit: Duration = patience
    ) async throws(BusError) -> [BusValue] {
        let number = next()
        let deadline = ContinuousClock.now.advanced(by: limit)
        let ticket = BusTicket()
        let result: BusTicket.Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                mailbox.post(
                    .call(number, call, BusTicket.Waiting(ticket, waiter, until: deadline)))
            }
        } onCancel: {
            ticket.cancel()
            mailbox.post(.cancel(number))
        }
        return try result.get()
    }

    /// Calls a method without waiting for an answer, which nobody will see.
    ///
    /// ``close()`` still sends it.
    public func send(_ call: BusCall) {
        mailbox.post(.send(call))
    }

    /// The signals that fit one of some matches, from now on: whatever is called afterwards is called when
    /// they are listened for.
    ///
    /// Ends with a ``BusError`` when the bus goes, refuses a match, or more wait than
    /// ``waitingSignals``.
    public func signals(_ matches: [BusMatch]) -> AsyncThrowingStream<BusSignal, any Error> {
        let number = next()
        return AsyncThrowingStream(bufferingPolicy: .bufferingOldest(Self.waitingSignals)) {
            output in
            output.onTermination = { [mailbox] _ in mailbox.post(.leave(number)) }
            mailbox.post(.listen(number, matches, output))
        }
    }

    /// Sends what is to be sent, for a second at most, and closes the connection.
    ///
    /// Calls that wait are cancelled.
    public func close() async {
        await withCheckedContinuation { mailbox.post(.close($0)) }
    }

    private func next() -> Int { numbers.add(1, ordering: .relaxed).newValue }
}

/// Where buses are.
public enum BusAddress {
    /// The system bus, as libdbus and sd-bus find it.
    public static func system(in environment: [String: String]) -> String {
        if let named = environment["DBUS_SYSTEM_BUS_ADDRESS"], !named.isEmpty { return named }
        return "unix:path=/run/dbus/system_bus_socket"
    }

    /// The address of a socket, whatever its path consists of.
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
