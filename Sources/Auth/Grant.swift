public import Addresses
public import Health
public import Samples

/// A use of a sensor that a client asks for.
public struct AccessRequest: Hashable, Sendable {
    /// The sensor, or a kind for which the owner chose one sensor.
    public let sensor: SensorID
    /// Reading or publishing.
    public let access: Access
    /// The operation, as the access log names it, such as `latest` or `stream`.
    public let operation: String
    /// Whether it continues an earlier use, as a stream does; then an expired token is not recorded
    /// in the access log.
    public let isContinuation: Bool
    /// Whether the sensor of that name is meant and never another one of its kind, as by callers that list
    /// all sensors: an unavailable sensor can have the name of its kind.
    public let isExact: Bool

    /// - Parameters:
    ///   - isContinuation: whether it continues an earlier use, as a stream does.
    ///   - isExact: whether the sensor of that name is meant, and never another one of its kind.
    public init(
        _ operation: String, of sensor: SensorID, _ access: Access, isContinuation: Bool = false,
        isExact: Bool = false
    ) {
        self.sensor = sensor
        self.access = access
        self.operation = operation
        self.isContinuation = isContinuation
        self.isExact = isExact
    }

    var privilege: PrivilegeID { PrivilegeID.sensor(sensor, access) }

    /// The same use of another sensor.
    func with(_ sensor: SensorID) -> AccessRequest {
        AccessRequest(
            operation, of: sensor, access, isContinuation: isContinuation, isExact: isExact)
    }
}

/// Proof that a client may use a sensor now, under terms.
///
/// Only `Authority` can make one. Everything that returns or stores sensor data takes a grant, so
/// that code without a check does not compile.
///
/// ```swift
/// func latest(of sensor: Sensor, for grant: Grant) async throws -> Sample?
/// ```
public struct Grant: Hashable, Sendable {
    /// The sensor that may be used.
    public let sensor: SensorID
    /// The conditions.
    public let terms: Terms
    /// The client that it was made for.
    let holder: Client

    /// The client's name.
    public var client: String { holder.name }
    /// Whether the client is the owner, by its kind: an app can have the same name.
    public var isOwner: Bool { holder.kind == .owner }

    init(to holder: Client, sensor: SensorID, terms: Terms) {
        self.holder = holder
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
    /// The server that may be called.
    public let origin: WebOrigin
    /// The certificate that the server must present; `nil` for any that the system trusts.
    public let pin: CertificatePin?
    /// The client that it was made for.
    let holder: Client

    /// The client's name.
    public var client: String { holder.name }

    init(to holder: Client, origin: WebOrigin, pin: CertificatePin?) {
        self.holder = holder
        self.origin = origin
        self.pin = pin
    }
}

/// Proof that a client may use data of some types in the health store now.
///
/// Only `Authority` can make one. Everything that returns, saves or removes health data takes a grant, so
/// that code without a check does not compile.
///
/// ```swift
/// let grant = try await authority.checkApp(
///     token: token, name: nil, reading: [.workout], operation: "health-workouts")
/// let page = try await health.workouts(query, for: grant)
/// ```
public struct HealthGrant: Hashable, Sendable {
    /// What the client sees.
    public let view: HealthView
    /// The types that it may save, or of which it may remove its own data; `nil` for every type.
    let writable: Set<HealthType>?
    /// The client that it was made for.
    let holder: Client

    /// Who saves; `nil` for the owner.
    public var source: HealthSource? { view.source }
    /// Whether the client is the owner, by its kind: an app can have the same name.
    public var isOwner: Bool { holder.kind == .owner }

    /// Whether the client may save data of a type.
    public func mayWrite(_ type: HealthType) -> Bool { writable?.contains(type) ?? true }

    init(to holder: Client, view: HealthView, writable: Set<HealthType>?) {
        self.holder = holder
        self.view = view
        self.writable = writable
    }
}
