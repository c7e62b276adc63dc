import API
import Auth
import HTTPTypes
import Hummingbird
import LAE
import Logging
import NIOCore
import Samples
import Text

/// The calls of the second generation of published apps.
struct AxonRoutes {
    private static let logLimit = 64 << 10

    let door: Door
    let engine: AnalyticsEngine
    let logger: Logger
    let meter = LogMeter()

    func add(to routes: inout RouteTable) {
        routes.on(.axonSample("{name}"), [.get: newest])
        routes.on(.axonHistory, [.get: history])
        routes.on(.axonDevice, [.get: number])
        routes.on(.axonLog, [.post: log])
    }

    private var reader: PublishedReader { PublishedReader(door: door, engine: engine) }

    @Sendable
    private func newest(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await door.client("latest", request, context)
        let form = try Self.form(context.decoded("name").required("name"))
        return try await reader.newest(form, request, context)
    }

    /// Takes exactly the parameters `axon`, `start` and `end`, the times in milliseconds since 1970.
    @Sendable
    private func history(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await door.client("samples", request, context)
        let names = request.uri.queryParameters.map { String($0.key) }
        guard names.sorted() == ["axon", "end", "start"] else {
            throw Problem.invalidParameter(
                names.first { !["axon", "end", "start"].contains($0) } ?? "axon",
                "exactly axon, start and end are needed")
        }
        let form = try Self.form(request.parameter("axon").required("axon"))
        let start = try time("start", request)
        // The last millisecond belongs to it.
        let end = try time("end", request).advanced(byMicroseconds: 1000)
        guard start < end else {
            throw Problem.invalidParameter("start", "it must not be after the end")
        }
        return try await reader.history(
            form, TimeRange(from: start, to: end), request, context)
    }

    private struct Number: Encodable {
        let uuid: String
    }

    @Sendable
    private func number(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("device-number", using: .identity, request, context)
        return try .json(Number(uuid: try await door.authority.deviceNumber(for: client)))
    }

    /// Takes a text of whatever type for the host's own log.
    @Sendable
    private func log(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("log", request, context)
        guard await meter.add(client.name, at: .now) else { throw Problem.logFull }
        let text = String(decoding: try await request.bytes(upTo: Self.logLimit), as: UTF8.self)
        logger.info(
            "an app says",
            metadata: [
                "app": "\(client.name)", "text": "\(text.escapedForDisplay(limit: 1000))",
            ])
        return Response(status: .noContent)
    }

    // MARK: - Private

    private static func form(_ name: String) throws -> PublishedSensor {
        guard let form = PublishedSensor.named(name) else {
            let names = PublishedSensor.all.map(\.name).joined(separator: ", ")
            throw Problem(
                .unknownSensor, "\(name.prefix(80).debugDescription) is none of \(names).")
        }
        return form
    }

    private func time(_ name: Substring, _ request: Request) throws -> Timestamp {
        guard let text = request.parameter(name), let number = Int64(text),
            let time = Timestamp(milliseconds: Double(number))
        else {
            throw Problem.invalidParameter(
                String(name), "a whole number of milliseconds since 1970 is needed")
        }
        return time
    }
}

extension Problem {
    fileprivate static let logFull = Problem(
        .logFull, "An app may write \(LogMeter.limit) texts a minute.",
        headers: [.retryAfter: "60"])
}
