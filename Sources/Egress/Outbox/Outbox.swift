import Addresses
import Files
public import Logging
public import Samples
import Text

/// What a person sends to servers of their choice: at once, or later where a server cannot be reached.
///
/// What waits is on the disk before the person is told so. A thing may arrive twice, where an answer was
/// lost on the way; its identifier is the same then.
public actor Outbox {
    /// What came of sending something.
    public enum Outcome: Hashable, Sendable {
        case delivered(status: Int)
        /// It is kept, and tried again.
        case kept(Delivery)
    }

    /// The most things that wait, and their bytes in all.
    private static let most = (things: 200, bytes: 256 << 20)
    /// Between two looks at what is due.
    static let lookInterval = Duration.seconds(15)
    /// The wait after the first failure, which doubles up to the longest, in seconds.
    private static let (firstWait, longestWait): (Int64, Int64) = (60, 3600)

    private let folder: OutboxFolder
    private let courier: any Courier
    private let note: @Sendable (String, Int) async -> Void
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger
    private var kept: [String: Delivery] = [:]
    /// What is on its way just now.
    private var underWay: Set<String> = []

    /// - Parameters:
    ///   - folder: made where there is none, for its owner alone.
    ///   - note: told of each try before it is made, with the origin of the server and the bytes of the body.
    /// - Throws: `storeFailed`, `diskFull`.
    public init(
        folder: String, courier: any Courier,
        noting note: @escaping @Sendable (String, Int) async -> Void,
        now: @escaping @Sendable () -> Timestamp = { .now() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }, logger: Logger = Logger(label: "nervous.outbox")
    ) throws(OutboxError) {
        self.folder = try OutboxFolder(folder)
        (self.courier, self.note, self.now) = (courier, note, now)
        (self.sleep, self.logger) = (sleep, logger)
        let (deliveries, unreadable) = self.folder.load()
        for delivery in deliveries { kept[delivery.id] = delivery }
        for name in unreadable {
            logger.error("cannot be read and is not sent", metadata: ["file": "\(folder)/\(name)"])
        }
    }

    /// What waits, the oldest first.
    public var deliveries: [Delivery] {
        kept.values.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    /// Sends something now.
    ///
    /// - Parameter keeps: whether it is kept where it does not arrive.
    /// - Throws: `notDelivered` where it did not arrive and is not kept; `full`, `diskFull` and `storeFailed`
    ///   where it could not be kept.
    public func send(_ parcel: Parcel, keeps: Bool) async throws(OutboxError) -> Outcome {
        let id = RandomName.make()
        let state: Delivery.State
        let problem: String
        switch await bring(parcel, id: id) {
        case .delivered(let status): return .delivered(status: status)
        case .failed(let after, let reason): (state, problem) = (after, reason)
        }
        guard keeps else { throw OutboxError(.notDelivered, problem) }
        let bytes = kept.values.reduce(parcel.body.count) { $0 + $1.size }
        guard kept.count < Self.most.things, bytes <= Self.most.bytes else {
            throw OutboxError(
                .full, "\(problem) It is not kept either: too much waits already.",
                hint: "See what waits with: nervous outbox")
        }
        var delivery = Delivery(
            id: id, address: parcel.address.description, title: parcel.title,
            mediaType: parcel.mediaType, tokenFile: parcel.tokenFile, size: parcel.body.count,
            created: now(), state: .waiting, attempts: 0, problem: "", next: nil)
        delivery.fail(state, problem, at: now())
        try folder.keep(delivery, parcel.body)
        kept[id] = delivery
        return .kept(delivery)
    }

    /// Tries again now.
    ///
    /// - Throws: `notFound`, `busy`, `storeFailed`, `diskFull`.
    public func retry(_ id: String) async throws(OutboxError) -> Outcome {
        let known = try delivery(id)
        let parcel = try parcel(of: known)
        underWay.insert(id)
        let verdict = await bring(parcel, id: id)
        underWay.remove(id)
        guard var delivery = kept[id] else { throw Self.missing(id) }
        switch verdict {
        case .delivered(let status):
            kept[id] = nil
            folder.remove(id)
            return .delivered(status: status)
        // Who gave up waiting says nothing of the server.
        case .failed(.waiting, _) where Task.isCancelled: break
        case .failed(let state, let problem):
            delivery.fail(state, problem, at: now())
            kept[id] = delivery
            try folder.note(delivery)
        }
        return .kept(delivery)
    }

    /// Sends it never.
    ///
    /// - Throws: `notFound`, `busy`.
    public func discard(_ id: String) throws(OutboxError) {
        _ = try delivery(id)
        kept[id] = nil
        folder.remove(id)
    }

    /// Tries again what is due, until the task is cancelled.
    public func run() async {
        while (try? await sleep(Self.lookInterval)) != nil {
            for id in deliveries.map(\.id) {
                // What was due at first may have been sent or discarded meanwhile.
                guard !Task.isCancelled else { return }
                if let delivery = kept[id], isDue(delivery) { await retryQuietly(delivery) }
            }
        }
    }

    // MARK: - Private

    private func isDue(_ delivery: Delivery) -> Bool {
        guard delivery.state == .waiting, !underWay.contains(delivery.id), let next = delivery.next
        else { return false }
        // A clock that was put back is no reason to wait for longer than ever.
        let longest = next.advanced(byMicroseconds: -Self.longestWait * 1_000_000)
        return now() >= next || now() < longest
    }

    private func retryQuietly(_ delivery: Delivery) async {
        do {
            if case .delivered = try await retry(delivery.id) {
                logger.info(
                    "sent", metadata: ["id": "\(delivery.id)", "title": "\(delivery.title)"])
            }
        } catch {
            logger.error("\(error.message)", metadata: ["id": "\(delivery.id)"])
        }
    }

    private func delivery(_ id: String) throws(OutboxError) -> Delivery {
        guard let delivery = kept[id] else { throw Self.missing(id) }
        guard !underWay.contains(id) else {
            throw OutboxError(
                .busy, "\(id) is being sent just now.", hint: "Look again in a minute.")
        }
        return delivery
    }

    private func parcel(of delivery: Delivery) throws(OutboxError) -> Parcel {
        guard let address = WebAddress(delivery.address) else {
            throw OutboxError(.storeFailed, "\(delivery.id) is kept with an address that is none.")
        }
        return try Parcel(
            to: address, title: delivery.title, mediaType: delivery.mediaType,
            body: folder.body(of: delivery), tokenFile: delivery.tokenFile)
    }

    private func bring(_ parcel: Parcel, id: String) async -> Verdict {
        var token: String?
        if let file = parcel.tokenFile {
            do {
                token = try SecretFile.line(in: file)
            } catch {
                return .failed(.waiting, error.message)
            }
        }
        await note(parcel.address.origin.description, parcel.body.count)
        return Verdict(
            await courier.bring(parcel, id: id, token: token), at: parcel.address)
    }

    private static func missing(_ id: String) -> OutboxError {
        OutboxError(
            .notFound, "Nothing called \(id) waits to be sent.",
            hint: "See what waits with: nervous outbox")
    }
}

extension Delivery {
    /// Notes one more try that failed.
    fileprivate mutating func fail(_ state: State, _ problem: String, at time: Timestamp) {
        (self.state, self.problem) = (state, problem)
        attempts += 1
        next = state == .waiting ? time.advanced(byMicroseconds: Outbox.wait(after: attempts)) : nil
    }
}

extension Outbox {
    /// Microseconds until the next try.
    fileprivate static func wait(after attempts: Int) -> Int64 {
        let doublings = min(attempts - 1, 6)
        return min(firstWait << Int64(doublings), longestWait) * 1_000_000
    }
}
