public import Addresses
import Crypto
import NIOCore
public import NIOSSL

/// What secure connections are made with; the machine's authorities are read once, and only when needed.
public actor TLSContexts {
    private let trustRoots: NIOSSLTrustRoots
    private var vouched: NIOSSLContext?
    private var pinned: NIOSSLContext?

    /// - Parameter trustRoots: the authorities whose certificates are trusted.
    public init(trustRoots: NIOSSLTrustRoots) {
        self.trustRoots = trustRoots
    }

    /// What TLS 1.2 and later are spoken with, for HTTP/1.1.
    ///
    /// - Parameter isPinned: whether a pin takes the place of the authorities.
    public func context(isPinned: Bool) throws -> NIOSSLContext {
        if let made = isPinned ? pinned : vouched { return made }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.trustRoots = isPinned ? .certificates([]) : trustRoots
        // The pin is looked at in the place of the chain; the name would be looked at besides.
        if isPinned { configuration.certificateVerification = .noHostnameVerification }
        let made = try NIOSSLContext(configuration: configuration)
        if isPinned { pinned = made } else { vouched = made }
        return made
    }
}

extension NIOSSLClientHandler {
    /// A handler for a server that shows the certificate that it must.
    ///
    /// A pin stands for the one certificate or key, so neither its name nor its age nor who signed it
    /// matters; without one all of them do.
    public static func checking(
        _ host: WebHost, pin: CertificatePin?, with context: NIOSSLContext
    ) throws -> NIOSSLClientHandler {
        // An address stands in no server name; it is compared with that of the connection.
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
