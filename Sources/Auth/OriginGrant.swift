public import Addresses

/// Proof that a client may call a server now.
///
/// Only `Authority` can make one. What makes the call takes a grant, so code that forgot to ask does
/// not compile.
public struct OriginGrant: Hashable, Sendable {
    /// Who may.
    public let client: String
    /// What may be called.
    public let origin: WebOrigin
    /// The certificate that it must show; `nil` where the machine's authorities vouch for it.
    public let pin: CertificatePin?

    init(client: String, origin: WebOrigin, pin: CertificatePin?) {
        self.client = client
        self.origin = origin
        self.pin = pin
    }
}
