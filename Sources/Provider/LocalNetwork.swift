public import API
import Foundation
import HTTPTypes
import Hummingbird
import NIOSSL

/// Where the listener for the local network is reached.
public struct LocalNetworkSite: Sendable {
    /// The description of the listener in the status of the host.
    public let description: LocalNetworkDescription
    /// The values that a `Host` field may have.
    let authorities: Set<String>

    /// - Parameter description: its URLs are origins, without a path.
    public init(_ description: LocalNetworkDescription) {
        self.description = description
        authorities = Set(
            description.urls.compactMap { url in
                url.range(of: "://").map { String(url[$0.upperBound...]).lowercased() }
            })
    }
}

/// The certificate of a server, and its key.
public struct ServerCertificate: Sendable {
    let context: NIOSSLContext

    /// - Parameters:
    ///   - certificate: in PEM.
    ///   - key: its private key, in PEM.
    /// - Throws: an error of `NIOSSL` if either is malformed, or they do not belong together.
    public init(certificate: String, key: String) throws {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        context = try NIOSSLContext(configuration: configuration)
    }
}

/// Refuses requests from the local network whose `Host` is not this listener's, and requests of
/// browsers.
///
/// This protects against DNS rebinding and cross-site requests, as `HostMiddleware` does on this
/// machine: the listener serves no page, so no page may call it.
struct LocalNetworkMiddleware: RouterMiddleware {
    let site: @Sendable () -> LocalNetworkSite?

    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        // The first field `Host` has become the authority; a field that remains is a second one.
        guard let authority = request.head.authority?.lowercased(), request.headers[.host] == nil,
            site()?.authorities.contains(authority) == true
        else { throw Problem.misdirectedInLocalNetwork }
        guard request.headers[.origin] == nil, FetchMetadata(request).accepts(request) else {
            throw Problem.crossOrigin
        }
        return try await next(request, context)
    }
}

extension Problem {
    fileprivate static let misdirectedInLocalNetwork = Problem(
        .misdirected, "Call one of the URLs that nervous sensors add-phone shows.")
}
