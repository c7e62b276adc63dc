import Addresses
import Auth
import NIOCore
import NIOHTTP1
import NIOSSL

/// What a fault of a connection is called, in one sentence; its own text is not shown, as it may hold
/// what was said.
extension NetError {
    /// A fault before anything was sent.
    init(connecting error: any Error, to grant: OriginGrant) {
        self.init(
            .unreachable, "\(grant.origin) cannot be reached.",
            hint: "Check the address and the network.", cause: error)
    }

    /// A fault after that.
    init(talking error: any Error, to grant: OriginGrant) {
        let origin = grant.origin
        switch error {
        case let own as NetError:
            self = own
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self.init(secure: error, to: grant)
        case HandshakeWatch.Fault.tooSlow:
            self.init(.tooSlow, "\(origin) takes too long to make a secure connection.")
        case HandshakeWatch.Fault.ended:
            self.init(.untrusted, "No secure connection to \(origin) can be made.")
        case is HTTPParserError:
            self.init(
                .brokenAnswer,
                "\(origin) answers with what is not HTTP, or with too large a header.",
                cause: error)
        default:
            self.init(
                .brokenAnswer, "\(origin) broke off before its answer was whole.", cause: error)
        }
    }

    private init(secure error: any Error, to grant: OriginGrant) {
        let isCertificate =
            "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
            || error as? NIOSSLExtraError == .failedToValidateHostname
        if !isCertificate {
            self.init(
                .untrusted, "No secure connection to \(grant.origin) can be made.", cause: error)
        } else if grant.pin == nil {
            self.init(
                .untrusted,
                "\(grant.origin) has a certificate that this machine does not trust.",
                hint: "For a device of your own the app's author can name its certificate (pin).",
                cause: error)
        } else {
            self.init(
                .wrongCertificate,
                "\(grant.origin) has another certificate than the app's package names.",
                hint: "Somebody else may answer there, or the device has a new certificate.",
                cause: error)
        }
    }
}
