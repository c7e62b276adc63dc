import Egress
import HTTPTypes

extension Problem {
    init(_ error: EgressError) {
        let (status, code, title): (HTTPResponse.Status, String, String) =
            switch error.code {
            case .invalidRequest:
                (.badRequest, "invalid-request", "The request cannot be sent so")
            case .addressRefused:
                (.forbidden, "address-refused", "No app may call this address")
            case .ownHost: (.forbidden, "own-host", "This is the host itself")
            case .redirectRefused:
                (.forbidden, "redirect-refused", "The answer leads where the app may not go")
            case .unknownHost: (.badGateway, "unknown-host", "The server has no address")
            case .unreachable: (.badGateway, "unreachable", "The server cannot be reached")
            case .untrusted:
                (.badGateway, "untrusted-certificate", "The certificate is not trusted")
            case .wrongCertificate:
                (.badGateway, "wrong-certificate", "The certificate is another one")
            case .timedOut: (.gatewayTimeout, "fetch-timeout", "The server takes too long")
            case .invalidResponse: (.badGateway, "broken-answer", "The answer is not whole")
            case .responseTooLarge: (.badGateway, "answer-too-large", "The answer is too large")
            case .responseEncoded: (.badGateway, "answer-encoded", "The answer is compressed")
            case .tooManyRedirects:
                (.badGateway, "too-many-redirects", "The answer leads on and on")
            case .unexpectedStatus: (.badGateway, "broken-answer", "Unexpected status")
            case .tooManyCalls: (.tooManyRequests, "too-many-calls", "The app calls too often")
            }
        self.init(
            status: status, code: code, title: title, detail: error.message, fix: error.hint)
        if let wait = error.retryAfter {
            headers[.retryAfter] = String(max(1, Int((wait / .seconds(1)).rounded(.up))))
        }
    }
}
