import Addresses
import Crypto
import NIOCore
import NIOSSL

/// The TLS configurations of a client; the machine's certificate authorities are loaded on first use.
actor TLSContexts {
    private let trustRoots: NIOSSLTrustRoots
    private var verifying: NIOSSLContext?
    private var pinned: NIOSSLContext?

    /// - Parameter trustRoots: the trusted certificate authorities.
    init(trustRoots: NIOSSLTrustRoots) {
        self.trustRoots = trustRoots
    }

    /// A context for TLS 1.2 and later with HTTP/1.1.
    ///
    /// - Parameter isPinned: whether a pin replaces the certificate authorities.
    func context(isPinned: Bool) throws -> NIOSSLContext {
        if let made = isPinned ? pinned : verifying { return made }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.trustRoots = isPinned ? .certificates([]) : trustRoots
        // The callback that compares the pin replaces NIOSSL's check of the chain, but not its check of the
        // name, which is therefore turned off.
        if isPinned { configuration.certificateVerification = .noHostnameVerification }
        let made = try NIOSSLContext(configuration: configuration)
        if isPinned { pinned = made } else { verifying = made }
        return made
    }
}

extension NIOSSLClientHandler {
    /// A handler that verifies the server's certificate.
    ///
    /// A pin identifies one certificate or key; if there is one, the name, age and issuer of the certificate
    /// are not checked.
    static func verifying(
        _ host: WebHost, pin: CertificatePin?, context: NIOSSLContext
    ) throws -> NIOSSLClientHandler {
        // SNI cannot carry an address; NIOSSL then compares the certificate with the address of the
        // connection.
        let name: String? = if case .name(let name) = host { name } else { nil }
        guard let pin else {
            return try NIOSSLClientHandler(context: context, serverHostname: name)
        }
        return try NIOSSLClientHandler(context: context, serverHostname: name) {
            chain, promise in
            promise.succeed(chain.first?.matches(pin) == true ? .certificateVerified : .failed)
        }
    }
}

extension NIOSSLCertificate {
    fileprivate func matches(_ pin: CertificatePin) -> Bool {
        guard let certificate = try? toDERBytes(),
            let key = try? extractPublicKey().toSPKIBytes()
        else { return false }
        return [certificate, key].contains { Array(SHA256.hash(data: $0)) == pin.digest }
    }
}
