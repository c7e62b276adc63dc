public import Addresses
public import Samples

/// One thing that an app asks for in the `privileges` of its `package.json`.
public struct Privilege: Hashable, Sendable {
    /// What is asked for.
    public enum Resource: Hashable, Sendable {
        /// A sensor, or every instance of a kind.
        case sensor(SensorID, Access)
        /// Calls to an origin such as `https://api.example.org`, which must show the certificate of
        /// the pin where there is one.
        case net(WebOrigin, pin: CertificatePin?)
        /// Storage of the app's own.
        case storage
        /// Messages to the person.
        case notify
        /// A made-up number that is the same each time and another for every app.
        case identity
    }

    public let resource: Resource
    /// The app's own words for why; a claim, to be shown as one.
    public let reason: String

    public init(_ resource: Resource, reason: String) {
        self.resource = resource
        self.reason = reason
    }

    /// The name by which people and flags call it: `sensor:cpu`, `sensor:cpu:stats`,
    /// `net:https://api.example.org`.
    public var id: PrivilegeID {
        switch resource {
        case .sensor(let sensor, let access): PrivilegeID(sensor: sensor, access: access)
        case .net(let origin, _): PrivilegeID(reaching: origin) ?? .net
        case .storage: .storage
        case .notify: .notify
        case .identity: .identity
        }
    }
}
