import Samples
import Testing

@testable import VM

/// The sensors that a driver discovered, by identifier.
struct Discovery {
    let found: [DiscoveredSensor]

    init(_ driver: some SensorDriver) {
        found = driver.discover()
    }

    var ids: [String] { found.map(\.sensor.id.description) }

    func sensor(_ id: String) throws -> Sensor {
        try entry(id).sensor
    }

    /// The reader of a sensor that must be polled.
    func reader(_ id: String) throws -> any SampleReader {
        guard case .polled(let reader) = try entry(id).availability else {
            throw SensorError(.unreadable, "\(id) is not polled")
        }
        return reader
    }

    /// The reason and remedy of a sensor that must be unavailable.
    func missing(_ id: String) throws -> (reason: String, remedy: String?) {
        guard case .unavailable(let reason, let remedy) = try entry(id).availability else {
            throw SensorError(.unreadable, "\(id) is available")
        }
        return (reason, remedy)
    }

    /// The values of one read by the names of their fields.
    func values(_ id: String) throws -> [String: Value] {
        var reader = try reader(id)
        return try named(id, try #require(try reader.read()))
    }

    func named(_ id: String, _ values: [Value]) throws -> [String: Value] {
        let fields = try sensor(id).fields
        #expect(fields.count == values.count)
        for (field, value) in zip(fields, values) { #expect(value.fits(field.kind)) }
        return Dictionary(uniqueKeysWithValues: zip(fields.map(\.name), values))
    }

    private func entry(_ id: String) throws -> DiscoveredSensor {
        try #require(found.first { $0.sensor.id.description == id }, "no sensor \(id) in \(ids)")
    }
}

/// The code of the error that a read ends with; `nil` when it succeeds.
func failure(of reader: any SampleReader) -> SensorError.Code? {
    var reader = reader
    do throws(SensorError) {
        _ = try reader.read()
        return nil
    } catch {
        return error.code
    }
}
