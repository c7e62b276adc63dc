import Crypto
import HTTPTypes
import Hummingbird
import Ingest
import NIOCore
import Samples

/// Reads the body of a call that publishes samples, piece by piece and under limits.
struct SampleIntake: ~Copyable {
    /// The most bytes of a body.
    static let longestBody = 64 << 20
    /// A body that is larger needs one of few places.
    private static let smallBody = 1 << 20
    /// However slowly it comes, a body must have come by then.
    private static let patience = Duration.seconds(300)

    private let isNamed: Bool
    private var parser: SampleParser
    private var hash = SHA256()
    private var received = 0
    private let start = ContinuousClock.now

    /// What was in a body.
    struct Content {
        let batch: SampleBatch
        /// The SHA-256 of its type and its bytes; empty for a batch without a name.
        let digest: [UInt8]
    }

    /// Reads a body whole.
    ///
    /// - Throws: `Problem` for what is too large, too slow, or no samples of the sensor.
    static func taken(
        _ request: Request, _ parser: consuming SampleParser, form: SampleFormat, isNamed: Bool,
        places: IntakePlaces, client: String
    ) async throws -> Content {
        var intake = SampleIntake(parser, form: form, isNamed: isNamed)
        var hasPlace = false
        do {
            for try await piece in request.body {
                try intake.take(piece)
                if !hasPlace, intake.received > smallBody {
                    try await places.enter(client)
                    hasPlace = true
                }
            }
        } catch {
            if hasPlace { await places.leave(client) }
            // Only the connection can fail otherwise: a chunk that is none, or an early end.
            if error is Problem || error is CancellationError { throw error }
            throw Problem.invalidBody("The body did not come whole.")
        }
        if hasPlace { await places.leave(client) }
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
                status: .contentTooLarge, code: "too-large", title: "The body is too large",
                detail: "At most \(Self.longestBody) bytes are taken.",
                fix: "Send it in several batches.")
        }
        guard ContinuousClock.now - start < Self.patience else {
            throw Problem(
                status: .requestTimeout, code: "too-slow", title: "The body came too slowly",
                detail: "A body must come within \(Self.patience.components.seconds) seconds.",
                fix: "Send it in several batches.")
        }
        if isNamed { piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) } }
        do throws(SampleFault) {
            try read(piece)
        } catch {
            throw Problem(error)
        }
    }

    private mutating func read(_ piece: ByteBuffer) throws(SampleFault) {
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

extension Problem {
    init(_ fault: SampleFault) {
        let detail = fault.description.prefix(1).uppercased() + fault.description.dropFirst() + "."
        switch fault.code {
        case .malformed: self = .invalidBody(detail)
        case .unfit:
            self.init(
                status: .unprocessableContent, code: "invalid-sample",
                title: "A sample is not what the sensor holds", detail: detail)
        case .tooMany:
            self.init(
                status: .contentTooLarge, code: "too-large", title: "The body is too large",
                detail: detail, fix: "Send it in several batches.")
        }
    }
}
