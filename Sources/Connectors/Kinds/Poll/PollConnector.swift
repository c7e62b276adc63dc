import Addresses
import Egress
import Ingest
import NIOSSL
import Samples

/// Answers of an HTTP server that is asked again and again.
///
/// A person chooses the server with the pack, so it may be anywhere, also on this machine and the network
/// at home.
public struct PollConnector: ConnectorKind {
    public static let kind = "http-poll"
    public static let standardFormat: String? = "json"

    private static let year = Duration.seconds(366 * 86_400)
    private static let mostFields = 16

    /// Without the query, which may hold a key.
    public let place: String
    private let exchange: PollExchange
    private let interval: Duration
    private let patience: Duration
    private let takesLines: Bool
    let budget: CallBudget

    /// Takes `url`, `every` (a span, from one second), `timeout` (10s), `headers` (a table), `pin`
    /// (`sha256/…`, of the certificate or its key) and `lines` (whether each line of an answer is one
    /// message, and not the whole).
    public init(_ source: inout PackObject) throws(PackError) {
        guard let address = WebAddress(try source.requiredText("url")) else {
            throw source.wrong("url", "is no URL such as http://192.168.1.20/status")
        }
        guard let interval = try source.span("every", in: .seconds(1)...Self.year) else {
            throw source.missing("every")
        }
        let patience = try source.span("timeout", in: .milliseconds(100)...(.seconds(300)))
        var fields: [HeaderField] = []
        for (name, value) in (try source.table("headers") ?? [:]).sorted(by: { $0.key < $1.key }) {
            let field = HeaderField(name, value)
            guard field.isAllowedInPacks, fields.count < Self.mostFields else {
                throw source.wrong(
                    "headers", "holds what is no field of a request, or one that is not for a pack")
            }
            fields.append(field)
        }
        var pin: CertificatePin?
        if let text = try source.text("pin") {
            pin = CertificatePin(text)
            guard pin != nil, address.origin.scheme == .https else {
                throw source.wrong("pin", "is no sha256/… in Base64, or the URL is not https")
            }
        }
        self.init(
            address, every: interval, patience: patience ?? .seconds(10), fields: fields, pin: pin,
            takesLines: try source.flag("lines") ?? false, budget: source.budget)
    }

    /// - Parameters:
    ///   - patience: how long an answer may take.
    ///   - trustRoots: the authorities whose certificates are trusted where there is no pin.
    init(
        _ address: WebAddress, every interval: Duration, patience: Duration = .seconds(10),
        fields: [HeaderField] = [], pin: CertificatePin? = nil, takesLines: Bool = false,
        trustRoots: NIOSSLTrustRoots = .default, budget: CallBudget
    ) {
        place = "\(address.origin)\(address.target.prefix { $0 != "?" })"
        exchange = PollExchange(
            address: address, fields: fields, pin: pin,
            client: OutboundClient(userAgent: "Nervous", trustRoots: trustRoots))
        (self.interval, self.patience, self.takesLines) = (interval, patience, takesLines)
        self.budget = budget
    }

    public func connect(_ inlet: Inlet) async throws {
        while true {
            let start = ContinuousClock.now
            let host = "\(exchange.address.origin.host):\(exchange.address.origin.port)"
            try await Task.sleep(for: budget.turn(of: host))
            try await attempt(inlet)
            try await Task.sleep(until: start.advanced(by: interval), clock: .continuous)
        }
    }

    /// A call that fails is told of, and the next comes when it is due.
    private func attempt(_ inlet: Inlet) async throws {
        do {
            let body = try await exchange.body(within: patience)
            inlet.connected()
            take(body, inlet)
        } catch let error as ConnectorError {
            inlet.disconnected(error.message)
        }
    }

    private func take(_ body: [UInt8], _ inlet: Inlet) {
        let doubt = "\(place) answers with what the sensor pack does not know."
        if takesLines {
            let feed = LineFeed(inlet, doubt: doubt)
            feed.take(body[...])
            return feed.end()
        }
        var message = body
        while let last = message.last, last == 0x0A || last == 0x0D { message.removeLast() }
        inlet.warn(inlet.outcome(of: message) == .malformed ? doubt : nil)
    }
}
