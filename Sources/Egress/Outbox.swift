import Addresses
import Files
public import Logging
public import Samples
public import Scheduling
import Text

/// Sends the owner's data to servers: at once, or later when a server cannot be reached.
///
/// Uploads are written to disk before they are reported as queued. If the response of a server is lost, the
/// upload is sent to it again, with the same idempotency key.
///
/// ```swift
/// let outbox = try Outbox(folder: path, uploader: HTTPUploader(userAgent: "nervous/1.0")) {
///     await log.record(sendingTo: $0, bytes: $1)
/// }
/// let outcome = try await outbox.send(upload, keeps: true)
/// ```
public actor Outbox {
    /// The result of an attempt.
    public enum Outcome: Hashable, Sendable {
        /// The server accepted the upload, with this HTTP status.
        case delivered(status: Int)
        /// The upload is in the outbox.
        case kept(QueuedUpload)
    }

    /// The maximum number of uploads, and their maximum total size in bytes.
    private static let limits = (count: 200, bytes: 256 << 20)
    /// How often the outbox looks for uploads that are due.
    private static let pollInterval = Duration.seconds(15)
    /// Seconds after the first failed attempt, doubled after each further one up to the longest.
    private static let (firstWait, longestWait): (Int64, Int64) = (60, 3600)

    private let folder: OutboxFolder
    private let uploader: any Uploader
    private let record: @Sendable (String, Int) async -> Void
    private let time: any TimeSource
    private let logger: Logger
    private var queue: [String: QueuedUpload] = [:]
    /// The identifiers of uploads that are being sent.
    private var sending: Set<String> = []

    /// Opens the outbox of a folder.
    ///
    /// - Parameters:
    ///   - folder: created if missing, readable only by its owner.
    ///   - record: called before each attempt, with the origin of the server and the bytes of the
    ///     body.
    /// - Throws: `storeFailed`, `diskFull`.
    public init(
        folder: String, uploader: any Uploader, time: any TimeSource = .system,
        logger: Logger = Logger(label: "nervous.outbox"),
        recording record: @escaping @Sendable (String, Int) async -> Void
    ) throws(OutboxError) {
        self.folder = try OutboxFolder(folder)
        (self.uploader, self.record, self.time, self.logger) = (uploader, record, time, logger)
        let (uploads, unreadable) = self.folder.load()
        for upload in uploads { queue[upload.id] = upload }
        for name in unreadable {
            logger.error("upload cannot be read", metadata: ["file": "\(folder)/\(name)"])
        }
    }

    /// The queued uploads, the oldest first.
    public var queued: [QueuedUpload] {
        queue.values.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    /// Sends an upload now.
    ///
    /// - Parameter keeps: whether a failed upload is queued.
    /// - Throws: `notDelivered` when it failed and `keeps` is false; `full`, `diskFull` and
    ///   `storeFailed` when it could not be queued.
    public func send(_ upload: Upload, keeps: Bool) async throws(OutboxError) -> Outcome {
        let id = RandomName.make()
        let state: QueuedUpload.State
        let problem: String
        switch await attempt(upload, id: id) {
        case .delivered(let status): return .delivered(status: status)
        case .failed(let after, let reason): (state, problem) = (after, reason)
        }
        guard keeps else { throw OutboxError(.notDelivered, problem) }
        let bytes = queue.values.reduce(upload.body.count) { $0 + $1.size }
        guard queue.count < Self.limits.count, bytes <= Self.limits.bytes else {
            throw OutboxError(
                .full, "\(problem) The upload is not kept, because the outbox is full.",
                hint: "List the queued uploads with: nervous outbox")
        }
        var queued = QueuedUpload(
            id: id, address: upload.address.description, title: upload.title,
            mediaType: upload.mediaType, tokenFile: upload.tokenFile, size: upload.body.count,
            created: time.now(), sensors: upload.sensors.map(\.description),
            from: upload.range.from, to: upload.range.to, state: .waiting, attempts: 0, problem: "",
            next: nil)
        queued.fail(state, problem, at: time.now())
        try folder.add(queued, upload.body)
        queue[id] = queued
        return .kept(queued)
    }

    /// Sends a queued upload now.
    ///
    /// - Throws: `notFound`, `busy`, `storeFailed`, `diskFull`.
    public func retry(_ id: String) async throws(OutboxError) -> Outcome {
        let upload = try upload(of: queuedUpload(id))
        sending.insert(id)
        let outcome = await attempt(upload, id: id)
        sending.remove(id)
        guard var queued = queue[id] else { throw Self.missing(id) }
        switch outcome {
        case .delivered(let status):
            queue[id] = nil
            folder.remove(id)
            return .delivered(status: status)
        // The caller stopped waiting, which is not a failure of the server.
        case .failed(.waiting, _) where Task.isCancelled: break
        case .failed(let state, let problem):
            queued.fail(state, problem, at: time.now())
            queue[id] = queued
            try folder.update(queued)
        }
        return .kept(queued)
    }

    /// Discards a queued upload.
    ///
    /// - Throws: `notFound`, `busy`.
    public func discard(_ id: String) throws(OutboxError) {
        _ = try queuedUpload(id)
        queue[id] = nil
        folder.remove(id)
    }

    /// Discards the queued uploads with samples of a sensor in a range, which were forgotten.
    ///
    /// An upload that is being sent may still arrive, but is not tried again.
    ///
    /// - Returns: the number of discarded uploads.
    public func discard(_ sensor: SensorID, _ range: TimeRange) -> Int {
        let contained = queue.values.filter { $0.contains(sensor, range) }
        for upload in contained {
            queue[upload.id] = nil
            folder.remove(upload.id)
        }
        return contained.count
    }

    /// Sends queued uploads when they are due, until the task is cancelled.
    public func run() async {
        while (try? await time.sleep(for: Self.pollInterval)) != nil {
            for id in queued.map(\.id) {
                guard !Task.isCancelled else { return }
                // Another task may have sent or discarded it meanwhile.
                if let queued = queue[id], isDue(queued) { await retryAndLog(queued) }
            }
        }
    }

    // MARK: - Private

    private func isDue(_ queued: QueuedUpload) -> Bool {
        guard queued.state == .waiting, !sending.contains(queued.id), let next = queued.next
        else { return false }
        // After the wall clock was set back, the wait must not exceed the longest interval.
        let longest = next.advanced(byMicroseconds: -Self.longestWait * 1_000_000)
        return time.now() >= next || time.now() < longest
    }

    private func retryAndLog(_ queued: QueuedUpload) async {
        do {
            if case .delivered = try await retry(queued.id) {
                logger.info("sent", metadata: ["id": "\(queued.id)", "title": "\(queued.title)"])
            }
        } catch {
            logger.error("\(error.message)", metadata: ["id": "\(queued.id)"])
        }
    }

    private func queuedUpload(_ id: String) throws(OutboxError) -> QueuedUpload {
        guard let queued = queue[id] else { throw Self.missing(id) }
        guard !sending.contains(id) else {
            throw OutboxError(
                .busy, "Upload \(id) is being sent.", hint: "Try again in a minute.")
        }
        return queued
    }

    private func upload(of queued: QueuedUpload) throws(OutboxError) -> Upload {
        guard let address = WebAddress(queued.address) else {
            throw OutboxError(.storeFailed, "Upload \(queued.id) has an invalid address.")
        }
        return try Upload(
            to: address, title: queued.title, mediaType: queued.mediaType,
            body: folder.body(of: queued), tokenFile: queued.tokenFile,
            sensors: (queued.sensors ?? []).compactMap { SensorID($0) },
            range: TimeRange(
                from: queued.from ?? .distantPast, to: queued.to ?? .distantFuture))
    }

    private func attempt(_ upload: Upload, id: String) async -> UploadOutcome {
        var token: String?
        if let file = upload.tokenFile {
            do {
                token = try SecretFile.line(in: file)
            } catch {
                return .failed(.waiting, error.message)
            }
        }
        await record(upload.address.origin.description, upload.body.count)
        do throws(EgressError) {
            let status = try await uploader.upload(upload, id: id, token: token)
            return UploadOutcome(status: status, of: upload.address.origin)
        } catch {
            return .failed(.waiting, error.message)
        }
    }

    private static func missing(_ id: String) -> OutboxError {
        OutboxError(
            .notFound, "There is no upload \(id).",
            hint: "List the queued uploads with: nervous outbox")
    }

    /// Microseconds until the next attempt.
    fileprivate static func wait(after attempts: Int) -> Int64 {
        let doublings = min(attempts - 1, 6)
        return min(firstWait << Int64(doublings), longestWait) * 1_000_000
    }
}

/// The result of an attempt, before it is queued.
private enum UploadOutcome {
    case delivered(status: Int)
    /// The state in which the upload is queued, and why it failed.
    case failed(QueuedUpload.State, String)

    init(status: Int, of server: WebOrigin) {
        switch ServerVerdict(status: status, of: server) {
        case .accepted: self = .delivered(status: status)
        case .busy(let reason): self = .failed(.waiting, reason)
        case .refused(let reason): self = .failed(.refused, reason)
        }
    }
}

extension QueuedUpload {
    private static let location: SensorID = "location"

    /// Whether it has samples of a sensor in a range, as far as is known.
    fileprivate func contains(_ sensor: SensorID, _ range: TimeRange) -> Bool {
        guard let sensors else { return Self.location.covers(sensor) }
        let names = sensors.compactMap { SensorID($0) }
        guard names.contains(where: { sensor.covers($0) || $0.covers(sensor) }) else {
            return false
        }
        let (from, to) = (from ?? .distantPast, to ?? .distantFuture)
        return from < range.to && range.from < to
    }

    /// Records a failed attempt.
    fileprivate mutating func fail(_ state: State, _ problem: String, at time: Timestamp) {
        (self.state, self.problem) = (state, problem)
        attempts += 1
        next = state == .waiting ? time.advanced(byMicroseconds: Outbox.wait(after: attempts)) : nil
    }
}

/// An error of the outbox.
public struct OutboxError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// The upload is invalid and cannot be sent.
        case invalid
        /// No queued upload has this identifier.
        case notFound
        /// The server was not reached or refused the upload, and it is not queued.
        case notDelivered
        /// The outbox is full.
        case full
        /// The upload is being sent.
        case busy
        /// The disk is full.
        case diskFull
        /// The folder could not be read or written.
        case storeFailed
    }

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String
    /// What you can do.
    public let hint: String?

    init(_ code: Code, _ message: String, hint: String? = nil) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }

    public var description: String { message }
}
