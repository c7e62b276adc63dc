import API
import Foundation
import Host

/// The sensors of a host with their newest samples.
struct SensorOverview {
    /// The newest sample of a sensor.
    private enum Newest {
        case none
        case sample([String: SampleValue])
        /// It cannot be computed.
        case failed(String)
    }

    /// The devices, such as phones, with three or more sensors that never sent a sample.
    ///
    /// Sensors are of one device if their names are equal after the kind.
    typealias SilentDevices = [(device: String, sensors: [String])]

    /// The list as the host sent it.
    private(set) var json = Data()
    private(set) var sensors: [SensorDescription] = []
    private var newest: [String: Newest] = [:]

    /// Reads the sensors.
    mutating func readSensors(_ client: APIClient) async throws {
        let reply = try await client.sensors()
        (json, sensors) = (reply.json, try reply.value.items)
    }

    /// Reads the newest samples, except those that are known.
    mutating func readSamples(_ client: APIClient) async throws {
        for sensor in sensors where sensor.available {
            if sensor.definition != nil {
                newest[sensor.id] = try await compute(sensor, client)
            } else if let time = sensor.newest {
                guard sample(of: sensor)?["t"]?.number != time else { continue }
                newest[sensor.id] = .sample(try await client.latest(of: sensor.id).value.values)
            }
        }
    }

    /// Computes the newest sample of a virtual sensor.
    private func compute(_ sensor: SensorDescription, _ client: APIClient) async throws -> Newest {
        do {
            let rows = try await client.samples(
                of: sensor.id, query: [("order", "desc"), ("limit", "1")]
            ).value.items
            return rows.first.map(Newest.sample) ?? .none
        } catch let error as APIError {
            // A sensor that cannot be computed must not hide the others.
            return .failed(CommandFailure(error).message)
        }
    }

    /// The newest sample, with its time in milliseconds as `t`.
    func sample(of sensor: SensorDescription) -> [String: SampleValue]? {
        if case .sample(let values) = newest[sensor.id] { values } else { nil }
    }

    /// What changes when a sample arrives, or a sensor is added, removed, set or lost.
    var state: [[String]] {
        sensors.map { sensor in
            [sensor.id, sensor.level, "\(sensor.available)", "\(sensor.newest ?? 0)"]
        }
    }

    /// The sensors to list.
    func listed(all: Bool) -> [SensorDescription] {
        let hidden = Set(all ? [] : silentDevices.flatMap(\.sensors))
        return sensors.filter { $0.available && !hidden.contains($0.id) }
    }

    var silentDevices: SilentDevices { Self.silentDevices(sensors) }

    static func silentDevices(_ list: [SensorDescription]) -> SilentDevices {
        let groups = Dictionary(grouping: list.filter(\.isSilent)) { sensor in
            sensor.id.split(separator: ".", maxSplits: 1).last.map(String.init) ?? sensor.id
        }
        return groups.filter { $0.value.count >= 3 }
            .map { ($0.key, $0.value.map(\.id)) }.sorted { $0.0 < $1.0 }
    }

    /// The level of a sensor, or the source of a virtual one.
    func level(of sensor: SensorDescription) -> String {
        sensor.definition == nil ? sensor.levelText : sensor.source
    }

    func age(of sensor: SensorDescription) -> String {
        sensor.definition == nil ? sensor.newestAge : Format.age(sample(of: sensor)?["t"]?.number)
    }

    /// The first values of the newest sample.
    func values(of sensor: SensorDescription) -> String {
        switch newest[sensor.id] {
        case .sample(let sample):
            let values = sensor.fields.prefix(3).compactMap { field in
                sample[field.name].map { "\(field.name) \($0.text(unit: field.unit))" }
            }.joined(separator: ", ")
            return sensor.fields.count > 3 ? values + ", …" : values
        case .failed(let message): return message
        case nil, .some(.none):
            return sensor.level == "off" && sensor.definition == nil ? "not read" : "no samples"
        }
    }

    /// The table of `nervous sensors`.
    func table(all: Bool) -> Table {
        var table = Table("SENSOR", "LEVEL", "NEWEST", "VALUES")
        for sensor in listed(all: all) {
            table.add(sensor.id, level(of: sensor), age(of: sensor), values(of: sensor))
        }
        return table
    }

    /// Remarks about sensors that are not in the table, and about clocks.
    func remarks(all: Bool) -> [String] {
        let silent = (all ? [] : silentDevices).map { device, sensors in
            "\(sensors.count) sensors of \(device) never sent a sample; see: nervous sensors"
                + " list --all"
        }
        let clocks = sensors.compactMap { sensor in
            sensor.clock.flatMap { clock in
                clock.wrong
                    ? "The clock of \(sensor.id) is \(clock.text); see: nervous sensors show"
                        + " \(sensor.id)" : nil
            }
        }
        let missing = sensors.count { !$0.available }
        guard !all, missing > 0 else { return silent + clocks }
        return silent + clocks + [
            "\(missing) more are not available; see: nervous sensors list --all"
        ]
    }
}
