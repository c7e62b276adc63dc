import DBus
import Ingest
import Samples
import Scheduling
import Text

/// Delivers properties of an object on the system bus at the start and when they change.
struct PropertyConnector: Connector {
    /// The object, and how its properties become values.
    struct Object: Sendable {
        /// The name of the service on the bus.
        let service: String
        /// The name of the service in messages.
        let title: String
        let interface: String
        /// The path of the object, which may have to be looked up.
        let path: @Sendable (BusService) async throws -> String
        /// A method that makes the service measure for as long as the connection is open.
        var claim: String?
        /// An interface whose signals end with the path of an object that was removed.
        var removals: String?
        /// How often to read properties whose changes the service does not signal; `nil` for never.
        var interval: Duration?
        /// The values; `nil` while there are none.
        let reading: @Sendable ([String: BusValue]) -> Reading?
    }

    let object: Object
    /// The address of the bus.
    let bus: String
    let time: any TimeSource

    var sourceName: String { object.title }

    func connect(_ sink: SampleSink) async throws {
        // The service forgets what a connection claimed when it ends.
        try await BusProblem.named(object.title, on: bus) { try await follow($0, sink) }
    }

    private func follow(_ connection: BusConnection, _ sink: SampleSink) async throws {
        let service = try await BusService(object.service, on: connection)
        let path = try await object.path(service)
        let signals = service.changes(at: path, and: object.removals)
        if let claim = object.claim { try await service.call(path, object.interface, claim) }
        sink.connected()
        try await deliver(path, of: service, sink)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await signal in signals {
                    if signal.member == "NameOwnerChanged" { throw ended }
                    if signal.interface == object.removals, signal.member.hasSuffix("Removed"),
                        signal.arguments.last?.text == path
                    {
                        throw ended
                    }
                    guard PropertyChange(signal)?.interface == object.interface else { continue }
                    try await deliver(path, of: service, sink)
                }
                throw CancellationError()
            }
            if let interval = object.interval {
                group.addTask {
                    while true {
                        try await time.sleep(for: interval)
                        try await deliver(path, of: service, sink)
                    }
                }
            }
            // The first error cancels the other task.
            while try await group.next() != nil {}
        }
    }

    /// Reads all properties: a signal may name one without its value, and be older than what was read.
    private func deliver(
        _ path: String, of service: BusService, _ sink: SampleSink
    ) async throws(BusError) {
        let properties = try await service.properties(of: path, object.interface)
        if let reading = object.reading(properties) { sink.take(reading) }
    }

    private var ended: ConnectorError { ConnectorError("\(object.title) ended.") }
}

/// Errors of services on the system bus, as a person reads them.
enum BusProblem {
    /// Runs `body` with a connection that is closed at its end; errors of the bus become those of a source.
    ///
    /// - Parameter bus: the address of the bus.
    static func named(
        _ title: String, on bus: String, _ body: (BusConnection) async throws -> Void
    ) async throws {
        do {
            let connection = try BusConnection(address: bus)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(connection))
            } catch {
                result = .failure(error)
            }
            await connection.close()
            try result.get()
        } catch let error as BusError {
            throw failure(of: title, error)
        }
    }

    private static func failure(of title: String, _ error: BusError) -> any Error {
        switch error.code {
        case .cancelled: return CancellationError()
        case .unreachable:
            return ConnectorError("The system bus cannot be reached: \(error.message).")
        case .timedOut: return ConnectorError("\(title) did not answer in time.")
        case .refused, .malformed, .excessive:
            let absent = ["NameHasNoOwner", "ServiceUnknown"]
            guard !absent.contains(where: { error.name == "\(BusSignal.bus).Error.\($0)" }) else {
                return ConnectorError("\(title) is not running.")
            }
            let reason = error.message.escapedForDisplay(limit: 120)
            return ConnectorError("\(title) refused a call: \(reason).")
        }
    }
}
