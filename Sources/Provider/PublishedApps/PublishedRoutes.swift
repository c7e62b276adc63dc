import API
import Auth
import HTTPTypes
import Hummingbird
import LAE
import Logging
import NIOCore
import Samples
import Scheduling
import Text
import VM

/// The calls of nervousnet apps of the second generation.
struct AxonRoutes {
    /// The maximum number of messages that an app writes to the log within a minute.
    static let messagesPerMinute = 60
    /// The maximum number of bytes of a message.
    private static let logLimit = 64 << 10

    let authorizer: RequestAuthorizer
    let engine: AnalyticsEngine
    let logger: Logger
    private let limiter = LogLimiter()

    init(authorizer: RequestAuthorizer, engine: AnalyticsEngine, logger: Logger) {
        (self.authorizer, self.engine, self.logger) = (authorizer, engine, logger)
    }

    func add(to routes: inout RouteTable) {
        routes.on(.axonSample("{name}"), [.get: newest])
        routes.on(.axonHistory, [.get: history])
        routes.on(.axonDevice, [.get: deviceNumber])
        routes.on(.axonLog, [.post: log])
    }

    private var reader: PublishedReader { PublishedReader(authorizer: authorizer, engine: engine) }

    @Sendable
    private func newest(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await authorizer.client("latest", request, context)
        let form = try Self.form(context.required("name"))
        return try await reader.newest(form, request, context)
    }

    /// Accepts exactly the parameters `axon`, `start` and `end`; times in milliseconds since 1970.
    @Sendable
    private func history(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await authorizer.client("samples", request, context)
        let names = request.uri.queryParameters.map { String($0.key) }
        guard names.sorted() == ["axon", "end", "start"] else {
            throw Problem.invalidParameter(
                names.first { !["axon", "end", "start"].contains($0) } ?? "axon",
                "exactly axon, start and end are required")
        }
        let form = try Self.form(request.parameter("axon") ?? "")
        let start = try time("start", request)
        // The last millisecond is included.
        let end = try time("end", request).advanced(byMicroseconds: 1000)
        guard start < end else {
            throw Problem.invalidParameter("start", "must not be after the end")
        }
        return try await reader.history(
            form, TimeRange(from: start, to: end), request, context)
    }

    private struct DeviceNumber: Encodable {
        let uuid: String
    }

    @Sendable
    private func deviceNumber(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let client = try await authorizer.client(
            "device-number", using: .identity, request, context)
        let number = try await authorizer.authority.deviceNumber(for: client)
        return try .json(DeviceNumber(uuid: number))
    }

    /// Writes the body, of any media type, to the host's log as a message; for apps only.
    @Sendable
    private func log(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("log", request, context)
        guard client.kind == .app else {
            throw Problem(
                .denied, "Only apps write to the log of the host, not \(client.name).",
                headers: [
                    .wwwAuthenticate: #"Bearer realm="nervous", error="insufficient_scope""#
                ])
        }
        try await limiter.admit(client.name, at: authorizer.time.instant())
        let text = String(decoding: try await request.bytes(upTo: Self.logLimit), as: UTF8.self)
        logger.info(
            "message of an app",
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
                .unknownSensor, "\(name.prefix(80).debugDescription) is not one of \(names).")
        }
        return form
    }

    private func time(_ name: Substring, _ request: Request) throws -> Timestamp {
        guard let text = request.parameter(name), let number = Int64(text),
            let time = Timestamp(milliseconds: Double(number))
        else {
            throw Problem.invalidParameter(
                String(name), "must be an integer, milliseconds since 1970")
        }
        return time
    }
}

/// The calls of nervousnet apps of the first generation.
struct FirstGenerationRoutes {
    /// The sensor of each resource and method.
    private static let methods = ["gyr/getGyr": "Gyroscope", "acc/getAcc": "Accelerometer"]

    let authorizer: RequestAuthorizer
    let engine: AnalyticsEngine

    func add(to routes: inout RouteTable) {
        routes.on(.firstGenerationVersion, [.get: version])
        routes.on(.firstGeneration("{resource}", "{method}"), [.get: read])
    }

    @Sendable
    private func version(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await authorizer.client("version", request, context)
        return .json(ByteBuffer(string: #"{"version":1.0}"#))
    }

    @Sendable
    private func read(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await authorizer.client("latest", request, context)
        let path = [context.decoded("resource"), context.decoded("method")].compactMap { $0 }
        let name = Self.methods[path.joined(separator: "/")]
        guard let form = name.flatMap(PublishedSensor.named) else {
            throw Problem.notFound("The resources are gyr/getGyr, acc/getAcc and version.")
        }
        return try await PublishedReader(authorizer: authorizer, engine: engine)
            .newest(form, request, context)
    }
}

/// Limits how much each app writes to the log of the host.
private actor LogLimiter {
    private var limiters: [String: RateLimiter<ContinuousClock.Instant>] = [:]

    /// - Throws: `Problem` beyond the limit.
    func admit(_ client: String, at now: ContinuousClock.Instant) throws {
        limiters = limiters.filter { !$0.value.isIdle(at: now) }
        var limiter =
            limiters[client] ?? RateLimiter(AxonRoutes.messagesPerMinute, per: .seconds(60))
        let wait = limiter.admit(at: now)
        limiters[client] = limiter
        if let wait {
            throw Problem(
                .logFull, "An app may write \(AxonRoutes.messagesPerMinute) messages per minute.",
                headers: [.retryAfter: Problem.wholeSeconds(wait)])
        }
    }
}

/// Reads sensors for nervousnet apps, with the same authorization and terms as for other clients.
private struct PublishedReader {
    /// The maximum age of a listed sample.
    private static let listed = Duration.seconds(10)
    private static let listLimit = 256
    /// The maximum number of rows of an answer.
    private static let rowLimit = 100_000
    private static let page = 10_000

    let authorizer: RequestAuthorizer
    let engine: AnalyticsEngine

    /// The newest sample; for a sensor that is a list, such as beacons, the newest sample of each item.
    func newest(
        _ form: PublishedSensor, _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let grant = try await grant("latest", form, request, context)
        var buffer = ByteBuffer()
        guard form.isList else {
            let page = try await engine.latest(for: grant)
            guard let sample = page.samples.first else { throw Problem.noSamples(grant.sensor) }
            PublishedSample(form: form, fields: page.fields)
                .write(sample, withTime: false, to: &buffer)
            return .json(buffer)
        }
        let now = authorizer.now()
        let start = now.advanced(byMicroseconds: -Self.listed.wholeMicroseconds)
        let page = try await engine.samples(
            SampleSelection(
                range: TimeRange(from: start, to: SampleReading.end(ofPresent: now)),
                order: .descending,
                limit: Self.listLimit), for: grant)
        let keys = ["uuid", "major", "minor"].compactMap { name in
            page.fields.firstIndex { $0.name == name }
        }
        var seen: Set<[Value]> = []
        let newest = page.samples.filter { sample in
            seen.insert(keys.map { sample.values[$0] }).inserted
        }
        buffer.writeString("[")
        PublishedSample(form: form, fields: page.fields)
            .write(newest, withTime: false, to: &buffer)
        buffer.writeString("]")
        return .json(buffer)
    }

    /// The samples of a range with their timestamps, the oldest first.
    func history(
        _ form: PublishedSensor, _ range: TimeRange, _ request: Request,
        _ context: ProviderContext
    ) async throws -> Response {
        var selection = SampleSelection(range: range, limit: Self.page)
        var buffer = ByteBuffer()
        var count = 0
        buffer.writeString("[")
        var sensor: SensorID?
        repeat {
            let grant = try await grant(
                "samples", form, request, context, continuing: sensor)
            sensor = grant.sensor
            let page = try await engine.samples(selection, for: grant)
            if count > 0, !page.samples.isEmpty { buffer.writeString(",") }
            count += page.samples.count
            guard count <= Self.rowLimit else { throw Problem.tooManyRows(Self.rowLimit) }
            PublishedSample(form: form, fields: page.fields)
                .write(page.samples, withTime: true, to: &buffer)
            selection.after = page.next
            try Task.checkCancellation()
        } while selection.after != nil
        buffer.writeString("]")
        return .json(buffer)
    }

    /// - Parameter sensor: the sensor of the previous page.
    private func grant(
        _ operation: String, _ form: PublishedSensor, _ request: Request,
        _ context: ProviderContext, continuing sensor: SensorID? = nil
    ) async throws -> Grant {
        try await authorizer.grant(
            operation, .raw, of: sensor ?? form.sensor, request, context,
            isContinuation: sensor != nil)
    }
}

extension Problem {
    fileprivate static func tooManyRows(_ limit: Int) -> Problem {
        Problem(
            .tooManyRows, "The range has more than \(limit) samples.",
            fix: "Request a shorter range.")
    }
}
