import Files
import Foundation
import Glibc
import Samples

/// Where the declared sensors are kept: one file that is replaced as a whole.
struct DeclarationFile: Sendable {
    private static let version = 1

    let path: String

    private struct Content: Codable {
        struct Item: Codable {
            let id: String
            let title: String
            let fields: [FieldItem]
            /// Of a virtual sensor.
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

    /// - Throws: `dataUnusable` when it cannot be read or is not what was written.
    func read() throws(VirtualMachineError) -> DeclaredSensors {
        guard access(path, F_OK) == 0 else { return DeclaredSensors() }
        let content: Content
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            content = try JSONDecoder().decode(Content.self, from: data)
        } catch {
            throw damaged(error)
        }
        guard content.version == Self.version else { throw damaged(nil) }
        var declared = DeclaredSensors()
        for item in content.sensors {
            guard let id = SensorID(item.id) else { throw damaged(nil) }
            let fields = item.fields.map { Field($0.name, unit: $0.unit, kind: $0.kind) }
            declared.sensors[id] = try Sensor(
                declared: id, title: item.title, fields: fields,
                cadence: item.derivation.flatMap(Cadence.init) ?? .standard,
                derivation: item.derivation)
        }
        return declared
    }

    /// Replaces the file; when this returns it survives the machine's end.
    ///
    /// - Throws: `diskFull` or `storeFailed`, and the file is as it was.
    func write(_ declared: DeclaredSensors) throws(VirtualMachineError) {
        let items = declared.sensors.values.sorted { $0.id < $1.id }.map { sensor in
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
            hint: "Mend the file or take it away.", cause: cause)
    }

    private func failure(
        _ code: VirtualMachineError.Code, _ reason: String, _ cause: any Error
    ) -> VirtualMachineError {
        VirtualMachineError(
            code, "The declared sensors could not be kept: \(reason).", cause: cause)
    }
}
