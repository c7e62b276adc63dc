public import Ingest
public import Samples
import Text
public import VM

/// A description of an external sensor: its fields, its source and its payload format.
///
/// ```swift
/// let pack = try SensorPack(bytes)
/// for try await sample in pack.source.samples() { … }
/// ```
public struct SensorPack: Sendable {
    /// The maximum size of `sensor.json` in bytes.
    public static let limit = 64 << 10

    /// The identifier of the sensor.
    public let id: SensorID
    /// The title for display.
    public let title: String
    /// The version of the pack, if given.
    public let version: String?
    /// The description to read before installation.
    public let explanation: String?
    /// The sensor it describes.
    public let sensor: Sensor
    /// Connects to its source.
    public let connector: any Connector
    /// The kind of its source, such as `serial`.
    public let kind: String
    /// What installing it implies, one sentence.
    public let consequence: String
    /// Converts the messages of the source to samples.
    public let maker: SampleMaker
    /// The rate limit in messages per second; messages above it are dropped.
    public let highestRate: Double

    /// Parses a pack with rate limits of its own.
    ///
    /// - Throws: ``PackError`` with the first problem.
    public init(_ bytes: [UInt8]) throws(PackError) {
        try self.init(bytes, budget: HostRateLimiter())
    }

    /// - Parameters:
    ///   - budget: the rate limits shared with other packs.
    ///   - devices: the folder that is used as `/dev`.
    ///   - secrets: those of all sources.
    init(
        _ bytes: [UInt8], budget: HostRateLimiter, devices: String = "/dev",
        secrets: SourceSecrets = SourceSecrets()
    ) throws(PackError) {
        let whole: JSONValue
        do {
            whole = try StrictJSON(maximumBytes: Self.limit).parse(bytes)
        } catch {
            throw PackError("sensor.json:\(error.position): \(error.message).")
        }
        try self.init(whole, budget: budget, devices: devices, secrets: secrets)
    }

    private init(
        _ whole: JSONValue, budget: HostRateLimiter, devices: String, secrets: SourceSecrets
    ) throws(PackError) {
        var pack = try PackObject(whole, path: "sensor", budget: budget, devices: devices)
        let name = try pack.requiredText("id")
        guard let id = SensorID(name) else {
            throw pack.wrong("id", "is not a sensor identifier, such as weather.balcony")
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
        source.secrets = secrets.of(name)
        let kind = try source.requiredText("kind")
        guard let type = ConnectorCatalogue.kinds.first(where: { $0.kind == kind }) else {
            let kinds = ConnectorCatalogue.kinds.map { $0.kind }.joined(separator: ", ")
            throw source.wrong("kind", "is not one of \(kinds)")
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
                external: id, title: title, fields: maker.fields, source: connector.sourceName)
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

/// Why a sensor pack is invalid or cannot be stored.
public struct PackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence, with the position in `sensor.json` if applicable.
    public let message: String

    /// Creates an error with one sentence.
    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
