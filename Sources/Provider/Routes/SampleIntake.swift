import API
import Crypto
import HTTPTypes
import Hummingbird
import Ingest
import NIOCore
import Samples

/// Parses the body of a publish call while it arrives.
struct SampleIntake: ~Copyable {
    /// The maximum number of bytes of a body.
    static let longestBody = 64 << 20
    /// A larger body needs a slot.
    private static let smallBody = 1 << 20
    /// The time within which a body must have arrived.
    private static let timeLimit = Duration.seconds(300)

    private let isNamed: Bool
    private var parser: SampleParser
    private var hash = SHA256()
    private var received = 0
    private let start = ContinuousClock.now

    /// The samples of a body.
    struct Content {
        let batch: SampleBatch
        /// The SHA-256 of the form and the bytes; empty for a batch without an idempotency key.
        let digest: [UInt8]
    }

    /// Reads a whole body.
    ///
    /// - Throws: `Problem` for a body that is too large, too slow, or does not fit the sensor.
    static func read(
        _ request: Request, _ parser: consuming SampleParser, form: SampleFormat, isNamed: Bool,
        slots: IntakeSlots, client: String, isOwner: Bool
    ) async throws -> Content {
        var intake = SampleIntake(parser, form: form, isNamed: isNamed)
        var hasSlot = false
        do {
            for try await piece in request.body {
                try intake.take(piece)
                if !hasSlot, intake.received > smallBody {
                    try await slots.acquire(client, isOwner: isOwner)
                    hasSlot = true
                }
            }
        } catch {
            if hasSlot { await slots.release(client) }
            if error is Problem || error is CancellationError { throw error }
            throw Problem.incompleteBody
        }
        if hasSlot { await slots.release(client) }
        return try intake.finished()
    }

    // MARK: - Private

    private init(_ parser: consuming SampleParser, form: SampleFormat, isNamed: Bool) {
        self.parser = parser
        self.isNamed = isNamed
        if isNamed { hash.update(data: Array(form.rawValue.utf8) + [0]) }
    }

    private mutating func take(_ piece: ByteBuffer) throws {
        received += piece.readableBytes
        guard received <= Self.longestBody else {
            throw Problem(
                .tooLarge, "The body has more than \(Self.longestBody) bytes.",
                fix: "Send it in several batches.")
        }
        guard ContinuousClock.now - start < Self.timeLimit else {
            throw Problem(
                .timedOut,
                "The body did not arrive within \(Self.timeLimit.components.seconds) seconds.",
                fix: "Send it in several batches.")
        }
        if isNamed { piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) } }
        do throws(SampleFault) {
            try parse(piece)
        } catch {
            throw Problem(error)
        }
    }

    private mutating func parse(_ piece: ByteBuffer) throws(SampleFault) {
        var fault: SampleFault?
        piece.withUnsafeReadableBytes { bytes in
            do throws(SampleFault) {
                try parser.read(bytes)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
    }

    private consuming func finished() throws -> Content {
        let digest = isNamed ? Array(hash.finalize()) : []
        do throws(SampleFault) {
            return Content(batch: try parser.finish(), digest: digest)
        } catch {
            throw Problem(error)
        }
    }
}

/// Limits how many large bodies are read concurrently, and so the memory that they take.
///
/// One slot is reserved for the owner, so that other clients cannot keep the owner from publishing.
actor IntakeSlots {
    private static let limit = 4
    private static let limitPerClient = 2

    private var used: [String: Int] = [:]
    /// The names of clients that are the owner.
    private var owners: Set<String> = []

    /// The number of slots in use.
    var usedCount: Int { used.values.reduce(0, +) }

    /// - Throws: `Problem` if no slot is free.
    func acquire(_ client: String, isOwner: Bool) throws {
        let own = used[client, default: 0]
        let others = used.filter { !owners.contains($0.key) }.values.reduce(0, +)
        guard usedCount < Self.limit, own < Self.limitPerClient,
            isOwner || others < Self.limit - 1
        else {
            throw Problem(
                .busy, "Too many large bodies are being read.", headers: [.retryAfter: "1"])
        }
        if isOwner { owners.insert(client) }
        used[client] = own + 1
    }

    func release(_ client: String) {
        let own = used[client, default: 1] - 1
        used[client] = own == 0 ? nil : own
        if own == 0 { owners.remove(client) }
    }
}

extension Problem {
    init(_ fault: SampleFault) {
        let detail = fault.description.prefix(1).uppercased() + fault.description.dropFirst() + "."
        switch fault.code {
        case .malformed: self = .invalidBody(detail)
        case .unfit: self.init(.invalidSample, detail)
        case .tooMany: self.init(.tooLarge, detail, fix: "Send it in several batches.")
        }
    }
}
