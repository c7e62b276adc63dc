import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Samples

/// The context of a request: its transport and its origin.
struct ProviderContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let transport: Transport
    /// The origin that the request was sent to.
    var origin: Origin = .owner
    /// The two ends of a connection over TCP.
    let ends: (remote: SocketAddress, local: SocketAddress)?

    /// How a request arrived.
    enum Transport: Hashable {
        /// Over TCP.
        case network
        /// Over the control socket, which only the owner can open.
        case control
        /// From a run in this host.
        case runner
    }

    /// The origin that a `Host` field names.
    enum Origin: Hashable {
        /// `localhost`
        case owner
        /// `NAME.localhost`
        case app(String)
    }

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        transport = source.channel.localAddress?.pathname == nil ? .network : .control
        if let remote = source.channel.remoteAddress, let local = source.channel.localAddress {
            ends = (remote, local)
        } else {
            ends = nil
        }
    }

    /// The context of a call of a run.
    init(ofRunner logger: Logger) {
        var logger = logger
        // Hummingbird stores the identifier of a request under this key, and `id` reads it.
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        coreContext = .init(source: RunnerSource(logger: logger))
        transport = .runner
        ends = nil
    }

    /// The context of one call of a batch.
    init(ofPart batch: ProviderContext) {
        var logger = batch.logger
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        coreContext = .init(source: RunnerSource(logger: logger))
        (transport, ends) = (batch.transport, batch.ends)
    }

    private struct RunnerSource: RequestContextSource {
        let logger: Logger
    }

    /// The app whose origin the request was sent to.
    var claimedName: String? {
        guard case .app(let name) = origin else { return nil }
        return name
    }
}

extension ProviderContext {
    /// A parameter of the path, percent-decoded.
    func decoded(_ name: String) -> String? {
        parameters.get(name).map { $0.removingPercentEncoding ?? $0 }
    }

    /// - Throws: `Problem` if the path has no such parameter.
    func required(_ name: String) throws -> String {
        guard let value = decoded(name) else {
            throw Problem.invalidParameter(name, "missing")
        }
        return value
    }

    /// The privilege in the path.
    func privilege() throws -> PrivilegeID {
        try PrivilegeID(checking: required("privilege"))
    }
}

extension PrivilegeID {
    /// - Throws: `Problem` if the text is not a privilege.
    init(checking text: String) throws {
        guard let privilege = PrivilegeID(text) else {
            throw Problem(
                .invalidPrivilege, "\(text.prefix(80).debugDescription) is not a privilege.",
                fix: "Write it like sensor:cpu, sensor:cpu:stats or net:https://example.org")
        }
        self = privilege
    }
}

extension HTTPField.Name {
    static let host = known("Host")
    static let requestID = known("X-Request-Id")
    static let referrerPolicy = known("Referrer-Policy")
    static let lastEventID = known("Last-Event-ID")
    static let idempotencyKey = known("Idempotency-Key")
    static let repeated = known("Nervous-Repeated")
    static let damaged = known("Nervous-Damaged")
    static let dropped = known("Nervous-Dropped")
    static let refused = known("Nervous-Refused")
    static let sensor = known("Nervous-Sensor")
    static let link = known("Link")
    static let nervousRequest = known("Nervous-Request")
    static let nervousAnswer = known("Nervous-Answer")
    static let serviceWorker = known("Service-Worker")
    static let fetchSite = known("Sec-Fetch-Site")
    static let fetchMode = known("Sec-Fetch-Mode")
    static let fetchDestination = known("Sec-Fetch-Dest")

    static let referer = known("Referer")

    private static func known(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(name)") else {
            preconditionFailure("not a field name: \(name)")
        }
        return name
    }
}

extension Response {
    /// Adds the sensor that was read, if the request named its kind, or used another name of the
    /// sensor.
    func naming(_ sensor: SensorID, requested name: SensorID) -> Response {
        guard sensor != name else { return self }
        var response = self
        response.headers[.sensor] = sensor.description
        return response
    }
}
