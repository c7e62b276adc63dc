public import Samples

/// A condition on the samples of one sensor, such as `cpu.busy>50`.
public struct FieldCondition: Hashable, Sendable {
    /// `nil` where it was not said, which is clear when there is one sensor.
    public let sensor: SensorID?
    public let condition: Condition

    init(sensor: SensorID?, condition: Condition) {
        self.sensor = sensor
        self.condition = condition
    }

    /// Reads a condition whose field may stand behind its sensor and a dot.
    ///
    /// - Throws: `invalidCondition` when it has not that shape.
    public init(parsing text: String) throws(LAEError) {
        let end = text.firstIndex { "=!<>".contains($0) } ?? text.endIndex
        guard let dot = text[..<end].lastIndex(of: ".") else {
            sensor = nil
            condition = try Condition(parsing: text)
            return
        }
        guard let sensor = SensorID(String(text[..<dot])) else {
            throw LAEError(
                .invalidCondition, "Not a condition: \(text.prefix(80).debugDescription).",
                hint: "Write a field, one of = != < <= > >= and a value, such as cpu.busy>50")
        }
        self.sensor = sensor
        condition = try Condition(parsing: String(text[dot...].dropFirst()))
    }
}
