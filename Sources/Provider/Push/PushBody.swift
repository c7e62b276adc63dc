import API
import HTTPTypes
import Hummingbird
import Ingest

/// Reads the body of a call that pushes readings, whole and under limits.
enum PushBody {
    /// A body that is larger needs one of few places.
    private static let smallBody = 1 << 20
    /// However slowly it comes, a body must have come by then.
    private static let patience = Duration.seconds(300)

    /// What `read` makes of the bytes, unpacked where they came as gzip; a large body keeps its place
    /// until then.
    ///
    /// - Throws: `Problem` for what is too large, too slow or packed in another way.
    static func taken<T>(
        _ request: Request, places: IntakePlaces, client: String, _ read: ([UInt8]) throws -> T
    ) async throws -> T {
        let isPacked = try request.isPacked
        let start = ContinuousClock.now
        var bytes: [UInt8] = []
        var hasPlace = false
        do {
            for try await piece in request.body {
                guard bytes.count + piece.readableBytes <= PushLimits.bytes else {
                    throw Problem.pushTooLarge("At most \(PushLimits.bytes) bytes are taken.")
                }
                guard ContinuousClock.now - start < patience else { throw Problem.pushTooSlow }
                bytes += piece.readableBytesView
                if !hasPlace, isPacked || bytes.count > smallBody {
                    try await places.enter(client)
                    hasPlace = true
                }
            }
            let content = try read(isPacked ? unpacked(bytes) : bytes)
            if hasPlace { await places.leave(client) }
            return content
        } catch {
            if hasPlace { await places.leave(client) }
            if let fault = error as? PushFault { throw Problem(fault) }
            // Only the connection can fail otherwise: a chunk that is none, or an early end.
            if error is Problem || error is CancellationError { throw error }
            throw Problem.invalidBody("The body did not come whole.")
        }
    }

    private static func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
        do throws(Gzip.Fault) {
            return try Gzip.unpacked(bytes, upTo: PushLimits.bytes)
        } catch {
            switch error {
            case .malformed: throw Problem.invalidBody("The body is not gzip.")
            case .tooLarge:
                throw Problem.pushTooLarge(
                    "At most \(PushLimits.bytes) bytes are taken, unpacked.")
            }
        }
    }
}

extension Request {
    /// Whether the body came as gzip.
    fileprivate var isPacked: Bool {
        get throws {
            switch headers[.contentEncoding]?.lowercased() {
            case nil, "identity": return false
            case "gzip", "x-gzip": return true
            default:
                throw Problem(
                    .unsupportedMediaType, "A body is taken as it is, or as gzip.",
                    fix: "Leave out the header Content-Encoding.")
            }
        }
    }
}

extension Problem {
    /// A body that holds more than is taken at once.
    static func pushTooLarge(_ detail: String) -> Problem {
        Problem(
            .tooLarge, detail, fix: "Send it in several batches.")
    }

    fileprivate static let pushTooSlow = Problem(
        .tooSlow, "A body must come within 300 seconds.", fix: "Send it in several batches.")

    init(_ fault: PushFault) {
        self = fault.code == .tooLarge ? .pushTooLarge(fault.message) : .invalidBody(fault.message)
    }
}
