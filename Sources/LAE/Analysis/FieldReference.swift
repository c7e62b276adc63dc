public import Samples

/// A field of a sensor, written `sensor.field`: `cpu.busy`, `network.eth0.rxRate`.
public struct FieldReference: Hashable, Sendable, CustomStringConvertible {
    public let sensor: SensorID
    public let field: String

    public init(sensor: SensorID, field: String) {
        self.sensor = sensor
        self.field = field
    }

    /// Reads a sensor and a field with the last dot between them.
    ///
    /// - Throws: `invalidAnalysis` when it has not that shape.
    public init(parsing text: String) throws(LAEError) {
        let end = text.lastIndex(of: ".") ?? text.startIndex
        let field = text[end...].dropFirst()
        guard let sensor = SensorID(String(text[..<end])), !field.isEmpty else {
            throw LAEError(
                .invalidAnalysis, "Not a field: \(text.prefix(80).debugDescription).",
                hint: "Write a sensor, a dot and one of its fields, such as cpu.busy")
        }
        self.init(sensor: sensor, field: String(field))
    }

    public var description: String { "\(sensor).\(field)" }
}
