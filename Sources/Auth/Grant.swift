public import Addresses
public import Samples

/// A use of a sensor that a client asks for.
public struct AccessRequest: Hashable, Sendable {
    /// Which sensor, or a kind for which the owner chose one sensor.
    public let sensor: SensorID
    /// Reading or publishing.
    public let access: Access
    /// The purpose, for the access log: `latest`, `samples`, `stats`, `stream`.
    public let operation: String
    /// Whether it continues an earlier use, as a stream does; then an expired token is not reported
    /// as an attack.
    public let isContinuation: Bool

    /// - Parameter isContinuation: whether it continues an earlier use, as a stream does.
    public init(
        _ operation: String, of sensor: SensorID, _ access: Access, isContinuation: Bool = false
    ) {
        self.sensor = sensor
        self.access = access
        self.operation = operation
        self.isContinuation = isContinuation
    }

    var privilege: PrivilegeID { PrivilegeID(sensor: sensor, access: access) }

    /// The same use of another sensor.
    func with(_ sensor: SensorID) -> AccessRequest {
        AccessRequest(operation, of: sensor, access, isContinuation: isContinuation)
    }
}

/// Proof that a client may use a sensor now, under terms.
///
/// Only `Authority` can make one. Everything that returns or stores sensor data takes a grant, so that
/// code without a check does not compile.
///
/// ```swift
/// func latest(of sensor: Sensor, for grant: Grant) async throws -> Sample?
/// ```
public struct Grant: Hashable, Sendable {
    /// The client's name.
    public let client: String
    /// Whether it is the owner's own use, which no name proves.
    public let isOwner: Bool
    /// The sensor that may be used.
    public let sensor: SensorID
    /// The conditions.
    public let terms: Terms
    /// The run that it was given to; `nil` for a program of the owner.
    let run: String?

    init(
        client: String, isOwner: Bool = false, run: String? = nil, sensor: SensorID, terms: Terms
    ) {
        self.client = client
        self.isOwner = isOwner
        self.run = run
        self.sensor = sensor
        self.terms = terms
    }
}

/// Proof that a client may call a server now.
///
/// Only `Authority` can make one. The HTTP client takes a grant, so that code without a check
/// does not compile.
///
/// ```swift
/// let grant = try await authority.checkApp(token: token, name: "weather", reaching: origin)
/// let response = try await client.send(request, grant)
/// ```
public struct OriginGrant: Hashable, Sendable {
    /// The client's name.
    public let client: String
    /// The server that may be called.
    public let origin: WebOrigin
    /// The certificate that the server must present; `nil` for any that the system trusts.
    public let pin: CertificatePin?

    init(client: String, origin: WebOrigin, pin: CertificatePin?) {
        self.client = client
        self.origin = origin
        self.pin = pin
    }
}
