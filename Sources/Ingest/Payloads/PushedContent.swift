public import Samples
import Text

/// A reading and its sensor.
public struct PushedReading: Hashable, Sendable {
    /// The sensor.
    public let sensor: SensorID
    /// Its values.
    public let reading: Reading
    /// The line it was read from, from 1; `nil` for formats without lines.
    public let line: Int?

    /// Creates a reading of a sensor.
    public init(_ sensor: SensorID, _ reading: Reading, line: Int? = nil) {
        self.sensor = sensor
        self.reading = reading
        self.line = line
    }
}

/// The content of a pushed body.
public struct PushedContent: Hashable, Sendable {
    /// The readings in the order of the body.
    public var readings: [PushedReading] = []
    /// The number of dropped readings by reason.
    public var dropped: [DropReason: Int] = [:]

    /// Creates empty content.
    public init() {}

    mutating func drop(_ reason: DropReason) {
        dropped[reason, default: 0] += 1
    }

    /// Adds a reading of a phone's sensor, or counts why it was dropped.
    ///
    /// - Parameter fill: adds the values, and returns the time; `nil` for the time of arrival.
    mutating func add(
        _ kind: SensorID, of phone: String,
        _ fill: (inout PhoneReadingBuilder) throws(DropReason) -> Timestamp?
    ) {
        do throws(DropReason) {
            var values = PhoneReadingBuilder()
            let time = try fill(&values)
            guard let id = PhoneSensor.all.first(where: { $0.kind == kind })?.id(of: phone) else {
                throw .unknownName
            }
            readings.append(PushedReading(id, Reading(time: time, values: values.values)))
        } catch {
            drop(error)
        }
    }
}

/// Why a pushed body is rejected as a whole.
public struct PushFault: Error, Hashable, Sendable {
    /// The kind of a fault.
    public enum Code: Hashable, Sendable {
        /// The body is not in the format of the app.
        case malformed
        /// The body has too many bytes or lines.
        case tooLarge
    }

    /// The kind of the fault.
    public let code: Code
    /// One sentence for the response.
    public let message: String

    /// Creates a fault with one sentence for the response.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// Limits of pushed bodies.
public enum PushLimits {
    /// The maximum size of a body in bytes, after decompression.
    public static let bytes = 8 << 20
    /// The maximum nesting of arrays and objects.
    static let depth = 16
    /// The maximum number of lines in line protocol.
    static let lines = 200_000
    /// The maximum size of a name of a sensor, a tag or a field in bytes.
    static let name = 256
    /// The maximum size of one text in bytes.
    static let text = 64 << 10
    /// How far after its arrival a time may be, in microseconds: a day, to tolerate wrong clocks.
    static let ahead: Int64 = 86_400_000_000
}

extension JSONValue {
    /// Parses a pushed body.
    ///
    /// - Throws: `malformed`, also for invalid UTF-8 and too deep nesting; `tooLarge`.
    init(pushed bytes: [UInt8], depth: Int = PushLimits.depth) throws(PushFault) {
        guard bytes.count <= PushLimits.bytes else {
            throw PushFault(.tooLarge, "A body has at most \(PushLimits.bytes) bytes.")
        }
        do {
            self = try StrictJSON(
                maximumBytes: PushLimits.bytes, maximumDepth: depth
            ).parse(bytes)
        } catch {
            throw PushFault(
                .malformed, "The body is not valid JSON at \(error.position): \(error.message).")
        }
    }

    /// The value of a member, or `nil` if this is not an object or the member is missing or `null`.
    func member(_ key: String) -> JSONValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }

    /// The number, if it is one.
    var double: Double? { number?.double }

    /// The integer, if it is one in any notation.
    var int64: Int64? { number?.int64 }

    /// The text, if it is one of at most `limit` bytes.
    func text(atMost limit: Int) -> String? {
        guard let text = string, text.utf8.count <= limit else { return nil }
        return text
    }
}
