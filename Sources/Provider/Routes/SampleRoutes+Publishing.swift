import Auth
import HTTPTypes
import Hummingbird
import Ingest
import LAE
import NIOCore
import Samples
import VM

/// Samples that clients publish.
extension SampleRoutes {
    private struct Receipt: Encodable {
        let accepted: Int
        let last: Int64
    }

    /// Takes all samples of a body or none.
    @Sendable
    func publish(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let name = try request.sensor(context)
        let grant = try await door.grant("publish", .write, of: name, request, context)
        // The fields are those of this sensor, whatever the name stands for when the body is here.
        let id = grant.sensor
        let form = try SampleFormat(contentType: request.headers[.contentType])
        let key = try request.idempotencyKey()
        let fields = try await engine.publishedFields(for: grant)
        let intake = try await SampleIntake.taken(
            request, SampleParser(form, fields: fields, now: door.now()), form: form,
            isNamed: key != nil, places: places, client: grant.client)
        // Permission may have ended while the body came.
        let still = try await door.grant(
            "publish", .write, of: id, request, context, isContinuation: true)
        let receipt = try await engine.publish(
            intake.batch,
            key: key.map { BatchKey(client: grant.client, name: $0, digest: intake.digest) },
            for: still)
        return try Response.json(
            Receipt(accepted: receipt.accepted, last: receipt.last), status: .created
        ).naming(id, asked: name)
    }
}

extension SampleFormat {
    /// The form that a body says it has.
    init(contentType: String?) throws {
        let type = contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard let form = SampleFormat(rawValue: type ?? SampleFormat.json.rawValue) else {
            throw Problem(
                status: .unsupportedMediaType, code: "unsupported-media-type",
                title: "The body is of another type",
                detail:
                    "Samples are taken as \(Self.allCases.map(\.rawValue).joined(separator: ", ")).",
                fix: "Send the header Content-Type: text/csv")
        }
        self = form
    }
}

extension Request {
    private static let longestKey = 255

    /// What the client calls its batch; `nil` when it gives it no name.
    func idempotencyKey() throws -> String? {
        guard let key = headers[.idempotencyKey] else { return nil }
        guard (1...Self.longestKey).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        else {
            throw Problem.invalidParameter(
                "Idempotency-Key", "from 1 to \(Self.longestKey) ASCII characters are needed")
        }
        return key
    }
}
