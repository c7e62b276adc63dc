import Addresses
import Egress
import Ingest
import NIOHTTP1
import NIOSSL

extension PollExchange {
    /// - Throws: ``ConnectorError`` for an answer that is not good.
    func check(_ head: HTTPResponseHead) throws(ConnectorError) {
        let (origin, status) = (address.origin, head.status.code)
        switch status {
        case 200..<300: break
        case 300..<400:
            throw ConnectorError(
                "\(origin) redirects with \(status); name the new place as the url.")
        case 401, 403: throw ConnectorError("\(origin) refuses with \(status); is the key right?")
        case 429: throw ConnectorError("\(origin) is asked too often (429); ask it less often.")
        default: throw ConnectorError("\(origin) answers with \(status).")
        }
        let length = head.headers.first(name: "Content-Length").flatMap { Int($0) }
        if let length, length > PayloadReader.limit { throw tooLarge }
        guard head.headers["Content-Encoding"].allSatisfy({ $0.lowercased() == "identity" }) else {
            throw ConnectorError("\(origin) compresses its answer, unasked.")
        }
    }

    var tooLarge: ConnectorError {
        ConnectorError(
            "\(address.origin) answers with more than the \(PayloadReader.limit) bytes that are taken."
        )
    }

    /// What went wrong after the connection was made, in one sentence.
    func explained(_ error: any Error) -> ConnectorError {
        let origin = address.origin
        if let own = error as? ConnectorError { return own }
        let isCertificate =
            "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
            || error as? NIOSSLExtraError == .failedToValidateHostname
        switch error {
        case _ where isCertificate && pin != nil:
            return ConnectorError("\(origin) has another certificate than the pin names.")
        case _ where isCertificate:
            return ConnectorError(
                "\(origin) has a certificate that this machine does not trust; a pin can name that of "
                    + "a device of your own.")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError, is HandshakeWatch.Fault:
            return ConnectorError("No secure connection to \(origin) can be made.")
        case let fault as HTTPParserError where fault != .invalidEOFState:
            return ConnectorError("\(origin) answers with what is not HTTP.")
        default:
            return ConnectorError("\(origin) broke off before its answer was whole.")
        }
    }
}

extension PollExchange.Field {
    private static let own: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te",
        "trailer", "transfer-encoding", "upgrade",
    ]

    /// Whether it is a token and visible ASCII (RFC 9110, sections 5.5 and 5.6.2), and none that the
    /// connection depends on.
    var isSent: Bool {
        let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)
        let low = name.lowercased()
        return !low.isEmpty && low.utf8.allSatisfy(token.contains) && !Self.own.contains(low)
            && value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}
