import Auth
import Host
import Samples
import Text
import VM

/// Parses and validates the lines of a trace.
struct TraceReader {
    private let name: String
    private var line = 0
    private var start: Timestamp?
    private var end: Timestamp?
    private var order: [SensorID] = []
    private var sensors: [SensorID: Sensor] = [:]
    private var batches: [SensorID: SampleBatch] = [:]
    private var count: Int64 = 0

    init(name: String) {
        self.name = name.escapedForDisplay(limit: 200)
    }

    /// Parses the next line.
    ///
    /// - Throws: `CommandFailure` with code `badData`, the line number and the reason.
    mutating func take(_ bytes: [UInt8]) throws {
        line += 1
        guard end == nil else { throw damaged("text after the last line") }
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try StrictJSON(maximumBytes: 1 << 20).parse(bytes)
        } catch {
            throw damaged("column \(error.position.column): \(error.message)")
        }
        if start == nil { return try takeHeader(value) }
        if value["end"] != nil { return try takeEnd(value) }
        try takeSample(value)
    }

    /// The complete trace.
    ///
    /// - Throws: like `take`, if the last line is missing.
    func finish() throws -> Trace {
        guard let start, let end else { throw cutOff() }
        let recordings = order.compactMap { id in
            sensors[id].flatMap { sensor in batches[id].map { (sensor: sensor, samples: $0) } }
        }
        return Trace(start: start, end: end, recordings: recordings)
    }

    /// The error of an incomplete trace.
    func cutOff() -> CommandFailure {
        CommandFailure(
            .badData,
            line == 0
                ? "\(name) is empty."
                : "\(name) is truncated after line \(line): the last line is missing.",
            hint: "Record it again; a recording is complete when nervous record has ended.",
            type: "bad-trace")
    }

    // MARK: - Lines

    private mutating func takeHeader(_ value: JSONValue) throws {
        guard value["format"]?.string == Trace.format else {
            throw damaged("it is not a trace")
        }
        guard value["version"]?.number?.int64 == Int64(Trace.version) else {
            throw damaged("unknown version")
        }
        guard let sensors = value["sensors"]?.array, !sensors.isEmpty else {
            throw damaged("no sensors")
        }
        start = try moment(value["start"], "start")
        for entry in sensors {
            let sensor = try sensor(entry)
            guard self.sensors[sensor.id] == nil else {
                throw damaged("\(sensor.id) is listed twice")
            }
            order.append(sensor.id)
            self.sensors[sensor.id] = sensor
            batches[sensor.id] = SampleBatch(of: sensor.fields)
        }
    }

    private func sensor(_ value: JSONValue) throws -> Sensor {
        guard let id = value["id"]?.string.flatMap({ SensorID($0) }) else {
            throw damaged("a sensor has no valid id")
        }
        let fields = try (value["fields"]?.array ?? []).map { field in
            guard let name = field["name"]?.string,
                let kind = field["kind"]?.string.flatMap({ Field.Kind(rawValue: $0) })
            else { throw damaged("a field of \(id) has no name or no kind") }
            return Field(name, unit: field["unit"]?.string, kind: kind)
        }
        do throws(VirtualMachineError) {
            let checked = try Sensor(
                declared: id, title: value["title"]?.string ?? "\(id)", fields: fields)
            return Sensor(id: id, title: checked.title, fields: checked.fields, source: "trace")
        } catch {
            throw damaged("\(id): \(error.message)")
        }
    }

    private mutating func takeSample(_ value: JSONValue) throws {
        guard let id = value["sensor"]?.string.flatMap({ SensorID($0) }), let sensor = sensors[id]
        else { throw damaged("the sensor is not in the first line") }
        guard let values = value["values"]?.array, values.count == sensor.fields.count else {
            throw damaged("\(id) must have \(sensor.fields.count) values")
        }
        let time = try moment(value["t"], "t")
        if let start, time < start { throw damaged("the sample is older than the trace") }
        if let last = batches[id]?.times.last, time < last {
            throw damaged("the sample is older than the previous one of \(id)")
        }
        let found = try zip(values, sensor.fields).map { value, field in
            guard let value = Value(value, for: field.kind) else {
                throw damaged("\(field.name) of \(id) is not of kind \(field.kind.rawValue)")
            }
            return value
        }
        batches[id]?.append(Sample(time: time, values: found))
        count += 1
    }

    private mutating func takeEnd(_ value: JSONValue) throws {
        let end = try moment(value["end"], "end")
        let last = batches.values.compactMap(\.times.last).max()
        if let last, end < last { throw damaged("the end is before the last sample") }
        if let start, end < start { throw damaged("the end is before the start") }
        guard value["samples"]?.number?.int64 == count else {
            throw damaged("the number of samples is not \(count)")
        }
        self.end = end
    }

    private func moment(_ value: JSONValue?, _ member: String) throws -> Timestamp {
        guard let time = value?.number.flatMap({ Timestamp(milliseconds: $0.double) }) else {
            throw damaged("\(member) must be milliseconds since 1970")
        }
        return time
    }

    private func damaged(_ what: String) -> CommandFailure {
        CommandFailure(
            .badData, "\(name):\(line): \(what).", hint: "Record it again with: nervous record",
            type: "bad-trace")
    }
}
