import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import Ingest

/// Reads the whole body of a push within limits.
enum PushBody {
    /// A larger body needs a slot.
    private static let smallBody = 1 << 20
    /// The time within which a body must have arrived.
    private static let timeLimit = Duration.seconds(300)

    /// Reads, decompresses and parses a body; a large body holds its slot until it is parsed.
    ///
    /// - Throws: `Problem` for a body that is too large, too slow or has another encoding.
    static func read<T>(
        _ request: Request, slots: IntakeSlots, client: Client, _ parse: ([UInt8]) throws -> T
    ) async throws -> T {
        let isCompressed = try request.isCompressed
        let start = ContinuousClock.now
        var bytes: [UInt8] = []
        var hasSlot = false
        do {
            for try await piece in request.body {
                guard bytes.count + piece.readableBytes <= PushLimits.bytes else {
                    throw Problem.pushTooLarge("The body has more than \(PushLimits.bytes) bytes.")
                }
                guard ContinuousClock.now - start < timeLimit else { throw Problem.pushTooSlow }
                bytes += piece.readableBytesView
                if !hasSlot, isCompressed || bytes.count > smallBody {
                    try await slots.acquire(client.name, isOwner: client.kind == .owner)
                    hasSlot = true
                }
            }
            let content = try parse(isCompressed ? decompressed(bytes) : bytes)
            if hasSlot { await slots.release(client.name) }
            return content
        } catch {
            if hasSlot { await slots.release(client.name) }
            if let fault = error as? PushFault { throw Problem(fault) }
            if error is Problem || error is CancellationError { throw error }
            throw Problem.incompleteBody
        }
    }

    private static func decompressed(_ bytes: [UInt8]) throws -> [UInt8] {
        do throws(Gzip.Fault) {
            return try Gzip.decompressed(bytes, upTo: PushLimits.bytes)
        } catch {
            switch error {
            case .malformed: throw Problem.invalidBody("The body is not gzip.")
            case .tooLarge:
                throw Problem.pushTooLarge(
                    "The body has more than \(PushLimits.bytes) bytes, decompressed.")
            }
        }
    }
}

/// The names and values of a form.
enum FormBody {
    static let mediaType = "application/x-www-form-urlencoded"
    /// The maximum number of values.
    private static let limit = 64

    /// Parses `a=1&b=x+y`; no bytes are no values.
    ///
    /// - Throws: `malformed` for text that is not UTF-8 and for too many values.
    static func parameters(_ bytes: [UInt8]) throws(PushFault) -> [(name: String, value: String)] {
        let fault = PushFault(
            .malformed, "The body is not a form of at most \(limit) values in UTF-8.")
        guard let text = String(validating: bytes, as: UTF8.self) else { throw fault }
        let pairs = text.split(separator: "&")
        guard pairs.count <= limit else { throw fault }
        var parameters: [(name: String, value: String)] = []
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = parts[0], let value = parts.count > 1 ? parts[1] : "" else {
                throw fault
            }
            parameters.append((name, value))
        }
        return parameters
    }
}

extension Request {
    /// Whether the body is compressed with gzip.
    fileprivate var isCompressed: Bool {
        get throws {
            switch headers[.contentEncoding]?.lowercased() {
            case nil, "identity": return false
            case "gzip", "x-gzip": return true
            default:
                throw Problem(
                    .unsupportedMediaType,
                    "Only the content encodings identity and gzip are accepted.",
                    fix: "Omit the header Content-Encoding.")
            }
        }
    }
}

extension Problem {
    /// A body that exceeds the limits of one push.
    static func pushTooLarge(_ detail: String) -> Problem {
        Problem(
            .tooLarge, detail, fix: "Send it in several batches.")
    }

    fileprivate static let pushTooSlow = Problem(
        .timedOut, "The body did not arrive within 300 seconds.", fix: "Send it in several batches."
    )

    init(_ fault: PushFault) {
        self = fault.code == .tooLarge ? .pushTooLarge(fault.message) : .invalidBody(fault.message)
    }
}
