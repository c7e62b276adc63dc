public import Ingest
public import Samples
import Text
public import VM

/// A description of a sensor outside this machine: what it measures, where it is and how it speaks.
///
/// A person installs it like an app. The text that was read is kept, so nothing is lost on the way.
public struct SensorPack: Sendable {
    /// The most bytes of `sensor.json`.
    public static let limit = 64 << 10

    public let id: SensorID
    public let title: String
    public let version: String?
    /// What a person should know before it is installed.
    public let explanation: String?
    public let sensor: Sensor
    public let connector: any Connector
    /// The kind of its source, such as `serial`.
    public let kind: String
    /// What using its source means, one sentence.
    public let consequence: String
    public let maker: SampleMaker
    /// Messages a second; what is beyond is left out.
    public let highestRate: Double

    /// Reads a pack that shares nothing with others.
    ///
    /// - Throws: ``PackError`` with the first thing that cannot be.
    public init(_ bytes: [UInt8]) throws(PackError) {
        try self.init(bytes, budget: HostRateLimiter())
    }

    /// - Parameter budget: of all calls that this pack and others make.
    init(_ bytes: [UInt8], budget: HostRateLimiter) throws(PackError) {
        let whole: JSONValue
        do {
            whole = try StrictJSON(maximumBytes: Self.limit).parse(bytes)
        } catch {
            throw PackError("sensor.json:\(error.position): \(error.message).")
        }
        try self.init(whole, budget: budget)
    }

    private init(_ whole: JSONValue, budget: HostRateLimiter) throws(PackError) {
        var pack = try PackObject(whole, path: "sensor", budget: budget)
        let name = try pack.requiredText("id")
        guard let id = SensorID(name) else {
            throw pack.wrong("id", "is no name of a sensor, such as weather.balcony")
        }
        title = try pack.requiredText("title")
        version = try pack.text("version")
        explanation = try pack.text("description")
        guard let fields = try pack.objects("fields", atMost: 64) else {
            throw pack.missing("fields")
        }
        var source: PackObject
        guard let given = try pack.object("source") else { throw pack.missing("source") }
        source = given
        let kind = try source.requiredText("kind")
        guard let type = ConnectorCatalogue.kinds.first(where: { $0.kind == kind }) else {
            let kinds = ConnectorCatalogue.kinds.map { $0.kind }.joined(separator: ", ")
            throw source.wrong("kind", "is none of \(kinds)")
        }
        let connector = try type.init(&source)
        highestRate =
            try source.number("highestRate", in: 0.001...100_000) ?? SupervisedSource.standardRate
        try source.finish()
        maker = try PackPayload.maker(
            try pack.object("payload"), fields, standard: type.standardFormat,
            names: connector.names)
        do {
            sensor = try Sensor(
                external: id, title: title, fields: maker.fields, source: connector.place)
        } catch {
            throw PackError("sensor: \(error.message)")
        }
        try pack.finish()
        (self.id, self.kind, self.connector, consequence) = (id, kind, connector, type.consequence)
    }

    /// The source of its samples.
    public var source: SupervisedSource {
        SupervisedSource(connector, maker: maker, highestRate: highestRate)
    }
}

/// Why a sensor pack cannot be used.
public struct PackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence, with the place in `sensor.json` where there is one.
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
