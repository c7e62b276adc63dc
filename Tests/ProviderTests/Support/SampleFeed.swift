import Samples
import Synchronization
import VM

/// The values that the readers of a test return, each once.
final class SampleFeed: Sendable {
    private let waiting = Mutex<[SensorID: [[Value]]]>([:])
    private let unplugged = Mutex<Set<SensorID>>([])

    func put(_ values: [Value], to sensor: SensorID) {
        waiting.withLock { $0[sensor, default: []].append(values) }
    }

    func take(_ sensor: SensorID) -> [Value]? {
        waiting.withLock { waiting in
            guard let first = waiting[sensor]?.first else { return nil }
            waiting[sensor]?.removeFirst()
            return first
        }
    }

    /// Makes a sensor missing at the next discovery.
    func unplug(_ sensor: SensorID) {
        unplugged.withLock { _ = $0.insert(sensor) }
    }

    func isPlugged(_ sensor: SensorID) -> Bool { unplugged.withLock { !$0.contains(sensor) } }
}

/// Reads from a feed.
struct FeedReader: SampleReader {
    let feed: SampleFeed
    let sensor: SensorID

    mutating func read() throws(SensorError) -> [Value]? { feed.take(sensor) }
}

/// Sensors whose samples are provided by a test.
struct FeedDriver: SensorDriver {
    static let gauge = Sensor(
        id: "gauge", title: "A gauge with a field of each kind",
        fields: [
            Field("level", unit: "%"), Field("total", unit: "By", kind: .integer),
            Field("state", kind: .state), Field("note", kind: .text),
        ], source: "the test")

    let feed: SampleFeed

    func discover() -> [DiscoveredSensor] {
        let plain = ["network.eth0", "network.wlan0", "networking", "quiet"].compactMap { name in
            SensorID(name).map { id in
                Sensor(
                    id: id, title: name, fields: [Field("rate", unit: "By/s")], source: "the test")
            }
        }
        let missing = Sensor(
            id: "battery", title: "Battery", fields: [Field("charge", unit: "%")],
            source: "/sys/class/power_supply")
        let readable = ([Self.gauge] + plain).filter { feed.isPlugged($0.id) }.map { sensor in
            DiscoveredSensor(sensor, .polled(FeedReader(feed: feed, sensor: sensor.id)))
        }
        let reason = Availability.unavailable(reason: "there is no battery", remedy: "Plug one in.")
        return readable + [DiscoveredSensor(missing, reason)]
    }
}
