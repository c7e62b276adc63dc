import Addresses
import Egress
import Ingest
import NIOCore
import NIOSSL
import Samples
import Scheduling
import Sealing
import Synchronization

/// Polls an HTTP server.
///
/// The owner chooses the server by installing the pack, so local addresses are allowed.
public struct PollConnector: ConnectorKind {
    public static let kind = "http-poll"
    public static let standardFormat: String? = "json"

    private static let year = Duration.seconds(366 * 86_400)
    private static let maximumFields = 16

    /// The URL without the query, which may contain a key.
    public let sourceName: String
    private let exchange: PollExchange
    private let interval: Duration
    private let timeout: Duration
    private let takesLines: Bool
    let budget: HostRateLimiter

    /// Reads `url`, `every` (a duration, from one second), `timeout` (10s), `headers` (a table), `headerSecrets`
    /// (a table of the names of secrets, each of which is the value of a header field),
    /// `pin` (`sha256/…`, of the certificate or its key) and `lines` (whether each line of a
    /// response is a message, instead of the whole body).
    public init(_ source: inout PackObject) throws(PackError) {
        guard let address = WebAddress(try source.requiredText("url")) else {
            throw source.wrong("url", "is not a URL such as http://192.168.1.20/status")
        }
        guard let interval = try source.duration("every", in: .seconds(1)...Self.year) else {
            throw source.missing("every")
        }
        let timeout = try source.duration("timeout", in: .milliseconds(100)...(.seconds(300)))
        var fields: [HeaderField] = []
        for (name, value) in (try source.table("headers") ?? [:]).sorted(by: { $0.key < $1.key }) {
            let field = HeaderField(name, value)
            guard field.isAllowedInPacks, fields.count < Self.maximumFields else {
                throw source.wrong(
                    "headers", "contains an invalid or a reserved header field")
            }
            fields.append(field)
        }
        var secretFields: [String: SecretName] = [:]
        for (name, text) in try source.table("headerSecrets") ?? [:] {
            let isNew = !fields.contains { $0.name.lowercased() == name.lowercased() }
            guard let secret = SecretName(text), isNew, HeaderField(name, "x").isAllowedInPacks,
                fields.count + secretFields.count < Self.maximumFields
            else {
                throw source.wrong(
                    "headerSecrets", "contains an invalid or a reserved header field or secret")
            }
            secretFields[name] = secret
        }
        var pin: CertificatePin?
        if let text = try source.text("pin") {
            pin = CertificatePin(text)
            guard pin != nil, address.origin.scheme == .https else {
                throw source.wrong("pin", "is not a sha256/… in Base64, or the URL is not https")
            }
        }
        self.init(
            address, every: interval, timeout: timeout ?? .seconds(10), fields: fields,
            secretFields: secretFields, secrets: source.secrets, pin: pin,
            takesLines: try source.flag("lines") ?? false, budget: source.budget)
    }

    /// - Parameters:
    ///   - timeout: the time limit of a call.
    ///   - trustRoots: the trusted authorities if there is no pin.
    init(
        _ address: WebAddress, every interval: Duration, timeout: Duration = .seconds(10),
        fields: [HeaderField] = [], secretFields: [String: SecretName] = [:],
        secrets: SourceSecrets = SourceSecrets(), pin: CertificatePin? = nil,
        takesLines: Bool = false,
        trustRoots: NIOSSLTrustRoots = .default, budget: HostRateLimiter
    ) {
        sourceName = "\(address.origin)\(address.target.prefix { $0 != "?" })"
        exchange = PollExchange(
            address: address, fields: fields, secretFields: secretFields, secrets: secrets,
            pin: pin,
            client: OutboundClient(userAgent: "Nervous", trustRoots: trustRoots))
        (self.interval, self.timeout, self.takesLines) = (interval, timeout, takesLines)
        self.budget = budget
    }

    public func connect(_ sink: SampleSink) async throws {
        while true {
            let start = ContinuousClock.now
            let host = "\(exchange.address.origin.host):\(exchange.address.origin.port)"
            try await Task.sleep(for: budget.reserve(host))
            try await attempt(sink)
            try await Task.sleep(until: start.advanced(by: interval), clock: .continuous)
        }
    }

    /// Reports a failed call; the next one happens on schedule.
    private func attempt(_ sink: SampleSink) async throws {
        do {
            let body = try await exchange.body(within: timeout)
            sink.connected()
            take(body, sink)
        } catch let error as ConnectorError {
            sink.disconnected(error.message)
        }
    }

    private func take(_ body: [UInt8], _ sink: SampleSink) {
        let mismatchWarning = "\(sourceName) sent a response that does not match the sensor pack."
        if takesLines {
            let feed = LineFeed(sink, mismatchWarning: mismatchWarning)
            feed.take(body[...])
            return feed.end()
        }
        var message = body
        while let last = message.last, last == 0x0A || last == 0x0D { message.removeLast() }
        sink.warn(sink.outcome(of: message) == .malformed ? mismatchWarning : nil)
    }
}

/// One GET request and its response.
private struct PollExchange: Sendable {
    let address: WebAddress
    let fields: [HeaderField]
    let secretFields: [String: SecretName]
    let secrets: SourceSecrets
    let pin: CertificatePin?
    let client: OutboundClient

    /// The body of a successful response.
    ///
    /// - Parameter limit: the time limit of the whole call.
    /// - Throws: ``ConnectorError``, `CancellationError`.
    func body(within limit: Duration) async throws -> [UInt8] {
        var options = OutboundOptions()
        // Leaves time to try a second address of the server.
        options.connecting = limit / 2
        options.total = limit
        options.responseBytes = PayloadReader.limit
        options.redirects = 0
        var fields = fields
        for (name, secret) in secretFields {
            let field = HeaderField(name, try secrets.value(secret))
            guard field.isAllowedInPacks else {
                throw ConnectorError("The secret \(secret) cannot be the value of a header field.")
            }
            fields.append(field)
        }
        let request = OutboundRequest(trusted: "GET", address, fields: fields)
        do {
            let response = try await client.send(request, options, accept: Self.checkStatus) {
                try await $0.perform(pin: pin)
            }
            return Array(response.body.readableBytesView)
        } catch let error as EgressError {
            throw ConnectorError(
                error.code == .untrusted
                    ? "\(error.message) \(error.hint ?? "")" : error.message)
        }
    }

    @Sendable
    private static func checkStatus(_ head: ResponseHead, of address: WebAddress) throws {
        let (origin, status) = (address.origin, head.status)
        switch status {
        case 200..<300: break
        case 300..<400:
            throw ConnectorError(
                "\(origin) redirects with \(status); use the new address as the url.")
        case 401, 403:
            throw ConnectorError("\(origin) refused the call with \(status); check the key.")
        case 429:
            throw ConnectorError(
                "\(origin) limits its calls (429); use a longer interval.")
        default: throw ConnectorError("\(origin) answers with \(status).")
        }
    }
}

extension HeaderField {
    private static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te",
        "trailer", "transfer-encoding", "upgrade",
    ]

    /// Whether a sensor pack may set it: a valid field that does not control the connection.
    var isAllowedInPacks: Bool {
        isValid && !value.utf8.contains(9) && !Self.reserved.contains(name.lowercased())
    }
}

/// Limits the calls to each host; later calls wait for their turn.
///
/// All packs of a store share one limiter, since all sensors of a server share the server's limits.
final class HostRateLimiter: Sendable {
    private let calls: Int
    private let window: Duration
    private let limiters = Mutex<[String: RateLimiter<ContinuousClock.Instant>]>([:])

    /// Creates a limiter; the default limits are those of the free tiers of weather services.
    init(calls: Int = 60, per window: Duration = .seconds(60)) {
        (self.calls, self.window) = (calls, window)
    }

    /// Reserves the next call to a host.
    ///
    /// - Returns: how long to wait for it.
    func reserve(_ host: String, at now: ContinuousClock.Instant = .now) -> Duration {
        limiters.withLock {
            $0[host, default: RateLimiter(calls, per: window)].reserve(at: now)
        }
    }
}
