import Files
import Foundation
import Glibc
import Samples

/// The sensors that the owner declared, stored in one file that is replaced as a whole.
///
/// Their samples are published by clients, or computed from the samples of other sensors.
struct DeclaredSensors: SensorDriver {
    static let source = Sensor.publishedSource
    static let virtualSource = "virtual"
    /// The maximum number of sensors that can be declared.
    private static let limit = 1000

    private let path: String
    private var sensors: [SensorID: Sensor]

    /// Reads the file at `path`; a missing file declares nothing.
    ///
    /// - Throws: `dataUnusable` when it cannot be read or parsed.
    init(file path: String) throws(VirtualMachineError) {
        self.path = path
        sensors = try DeclarationFile(path: path).read()
    }

    subscript(id: SensorID) -> Sensor? { sensors[id] }

    func discover() -> [DiscoveredSensor] {
        sensors.values.map { DiscoveredSensor($0, .published) }
    }

    /// Checks whether a sensor can be declared.
    ///
    /// - Throws: `sensorTaken` when it is declared as the other sort, published or virtual;
    ///   `invalidSensor` when there are too many.
    func check(_ sensor: Sensor) throws(VirtualMachineError) {
        let id = sensor.id
        guard let known = sensors[id] else {
            guard sensors.count < Self.limit else {
                throw VirtualMachineError(
                    .invalidSensor, "At most \(Self.limit) sensors can be declared.")
            }
            return
        }
        // A grant for one sort must not become a grant for the other.
        guard (known.derivation == nil) == (sensor.derivation == nil) else {
            throw VirtualMachineError(
                .sensorTaken, "\(id) is already declared with another type, published or virtual.",
                hint: "Remove it first with: nervous sensors remove \(id)")
        }
    }

    /// Sets or removes a sensor; when this returns, the file survives a power cut.
    ///
    /// - Parameter sensor: `nil` removes it.
    /// - Throws: `diskFull` or `storeFailed`, and then nothing has changed.
    mutating func set(_ sensor: Sensor?, for id: SensorID) throws(VirtualMachineError) {
        var changed = sensors
        changed[id] = sensor
        try DeclarationFile(path: path).write(changed)
        sensors = changed
    }
}

/// Reads and writes the file of declared sensors.
private struct DeclarationFile {
    private static let version = 1

    let path: String

    private struct Content: Codable {
        struct Item: Codable {
            let id: String
            let title: String
            let fields: [FieldItem]
            /// Only for a virtual sensor.
            let derivation: Derivation?
        }

        struct FieldItem: Codable {
            let name: String
            let unit: String?
            let kind: Field.Kind
        }

        let version: Int
        let sensors: [Item]
    }

    func read() throws(VirtualMachineError) -> [SensorID: Sensor] {
        guard access(path, F_OK) == 0 else { return [:] }
        let content: Content
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            content = try JSONDecoder().decode(Content.self, from: data)
        } catch {
            throw damaged(error)
        }
        guard content.version == Self.version else { throw damaged(nil) }
        var declared: [SensorID: Sensor] = [:]
        for item in content.sensors {
            guard let id = SensorID(item.id) else { throw damaged(nil) }
            let fields = item.fields.map { Field($0.name, unit: $0.unit, kind: $0.kind) }
            declared[id] = try Sensor(
                declared: id, title: item.title, fields: fields,
                cadence: item.derivation.flatMap(Cadence.init) ?? .standard,
                derivation: item.derivation)
        }
        return declared
    }

    func write(_ declared: [SensorID: Sensor]) throws(VirtualMachineError) {
        let items = declared.values.sorted { $0.id < $1.id }.map { sensor in
            Content.Item(
                id: sensor.id.description, title: sensor.title,
                fields: sensor.fields.map {
                    Content.FieldItem(name: $0.name, unit: $0.unit, kind: $0.kind)
                }, derivation: sensor.derivation)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let content = Content(version: Self.version, sensors: items)
        let bytes: [UInt8]
        do {
            bytes = Array(try encoder.encode(content))
        } catch {
            throw failure(.storeFailed, "\(error)", error)
        }
        do throws(FilesError) {
            try DurableFile.replace(path, with: bytes)
        } catch {
            throw failure(error.code == .diskFull ? .diskFull : .storeFailed, error.reason, error)
        }
    }

    private func damaged(_ cause: (any Error)?) -> VirtualMachineError {
        VirtualMachineError(
            .dataUnusable, "The declared sensors in \(path) cannot be read.",
            hint: "Repair the file or remove it.", cause: cause)
    }

    private func failure(
        _ code: VirtualMachineError.Code, _ reason: String, _ cause: any Error
    ) -> VirtualMachineError {
        VirtualMachineError(
            code, "The declared sensors could not be saved: \(reason).", cause: cause)
    }
}
