import Addresses
import Egress
import Ingest
import NIOCore

/// One GET request and its response.
struct PollExchange: Sendable {
    let address: WebAddress
    let fields: [HeaderField]
    let pin: CertificatePin?
    let client: OutboundClient

    /// The body of a successful response.
    ///
    /// - Parameter limit: for the whole call.
    /// - Throws: ``ConnectorError``, `CancellationError`.
    func body(within limit: Duration) async throws -> [UInt8] {
        var options = OutboundOptions()
        // Half, so that a second address of the server can be tried.
        options.connecting = limit / 2
        options.total = limit
        options.responseBytes = PayloadReader.limit
        options.redirects = 0
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
            throw ConnectorError("\(origin) refuses with \(status); check the key.")
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

    /// Whether a sensor pack may set it: a valid field on which the connection does not depend.
    var isAllowedInPacks: Bool {
        isValid && !value.utf8.contains(9) && !Self.reserved.contains(name.lowercased())
    }
}
