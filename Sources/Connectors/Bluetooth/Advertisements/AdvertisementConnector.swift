import DBus
import Foundation
import Ingest
import Samples
import Scheduling

/// Receives what a Bluetooth Low Energy device broadcasts, without connecting to it.
///
/// ```json
/// { "kind": "bluetooth-broadcast", "address": "AA:BB:CC:DD:EE:FF", "format": "ruuvi" }
/// ```
struct AdvertisementConnector: ConnectorKind {
    static let kind = "bluetooth-broadcast"
    static let consequence =
        "Nervous scans for its Bluetooth broadcasts for as long as the sensor is on."

    enum Format: String, CaseIterable, Sendable {
        case bthome, ruuvi, atc, mibeacon, govee

        var decoder: any AdvertisementDecoder.Type {
            switch self {
            case .bthome: BTHome.self
            case .ruuvi: Ruuvi.self
            case .atc: ATCThermometer.self
            case .mibeacon: MiBeacon.self
            case .govee: Govee.self
            }
        }
    }

    let address: String
    let format: Format
    let adapter: String?
    /// The longest silence before the device counts as out of range.
    let timeout: Duration
    private let bus: String

    /// Reads `address`, `format`, `adapter`, and `timeout` (10m).
    init(_ source: inout PackObject) throws(PackError) {
        guard
            case .address(let address)? = BluetoothTarget(
                address: try source.requiredText("address"))
        else { throw source.wrong("address", "is not an address such as AA:BB:CC:DD:EE:FF") }
        guard let format = try source.choice("format", of: Format.self) else {
            throw source.missing("format")
        }
        adapter = try source.text("adapter")
        guard adapter?.wholeMatch(of: /hci[0-9]{1,3}/) != nil || adapter == nil else {
            throw source.wrong("adapter", "is not an adapter such as hci0")
        }
        timeout =
            try source.duration("timeout", in: .seconds(1)...(.seconds(86_400)))
            ?? .seconds(600)
        (self.address, self.format) = (address, format)
        bus = BusAddress.system(in: ProcessInfo.processInfo.environment)
    }

    /// - Parameter bus: the address of the system bus.
    init(
        _ address: String, _ format: Format, timeout: Duration = .seconds(600), bus: String
    ) {
        (self.address, self.format, self.timeout) = (address, format, timeout)
        (adapter, self.bus) = (nil, bus)
    }

    var sourceName: String { address }

    var names: [String]? { format.decoder.names }

    func connect(_ sink: SampleSink) async throws {
        do {
            let bluez = try await BlueZ(bus: bus)
            let result: Result<Void, any Error>
            do {
                result = .success(try await scan(bluez, sink))
            } catch {
                result = .failure(error)
            }
            await bluez.close()
            try result.get()
        } catch let problem as BluetoothProblem {
            throw problem.error
        }
    }

    private func scan(_ bluez: BlueZ, _ sink: SampleSink) async throws {
        let adapter = try await bluez.objects().adapter(named: adapter)
        sink.scanning()
        // Source: org.bluez.Device(5), object path.
        let path = "\(adapter.path)/dev_\(address.replacing(":", with: "_"))"
        let signals = bluez.signals(at: adapter.path, beneath: path)
        // With duplicates, equal values are reported again, too.
        let filter = BusValue.options([
            "Transport": .string("le"), "DuplicateData": .bool(true),
        ])
        try await call(bluez, adapter, "SetDiscoveryFilter", [filter])
        // Registered before the call, which may take effect even if it is cancelled.
        defer { bluez.send(adapter.path, BlueZ.adapter, "StopDiscovery") }
        try await call(bluez, adapter, "StartDiscovery")
        let feed = AdvertisementFeed(self, sink)
        while true {
            // What BlueZ knew before is of unknown age, so only signals count.
            let advertisement = try await withTimeLimit(timeout, throwing: silence) {
                try await next(in: signals, at: path, adapter)
            }
            feed.take(advertisement)
        }
    }

    /// The next advertisement of the device.
    private func next(
        in signals: AsyncThrowingStream<BusSignal, any Error>, at path: String,
        _ adapter: BlueZObjects.Adapter
    ) async throws -> Advertisement {
        for try await signal in signals {
            if let problem = signal.problem(of: adapter) { throw problem }
            guard let changes = signal.deviceProperties(at: path),
                changes["ServiceData"] != nil || changes["ManufacturerData"] != nil
            else { continue }
            return Advertisement(changes)
        }
        throw CancellationError()
    }

    private var silence: ConnectorError {
        ConnectorError(
            "\(address) sent nothing within \(timeout.span): switch it on, or bring it nearer.")
    }

    private func call(
        _ bluez: BlueZ, _ adapter: BlueZObjects.Adapter, _ method: String,
        _ arguments: [BusValue] = []
    ) async throws {
        do throws(BusError) {
            try await bluez.call(adapter.path, BlueZ.adapter, method, arguments)
        } catch {
            throw BluetoothErrors(sourceName: address)
                .failed(error, to: "start scanning", within: BusConnection.defaultLimit)
        }
    }
}

/// Decodes advertisements and passes their values to a sink.
private final class AdvertisementFeed {
    private let connector: AdvertisementConnector
    private let sink: SampleSink
    private var counter: Int?
    private var hasProblem = false

    init(_ connector: AdvertisementConnector, _ sink: SampleSink) {
        (self.connector, self.sink) = (connector, sink)
    }

    func take(_ advertisement: Advertisement) {
        do throws(AdvertisementFault) {
            guard let found = try connector.format.decoder.decode(advertisement) else { return }
            sink.connected()
            if hasProblem { sink.warn(nil) }
            hasProblem = false
            if let number = found.counter, number == counter { return }
            counter = found.counter
            if !found.values.isEmpty { sink.take(Reading(values: found.values)) }
        } catch {
            sink.connected()
            sink.reject()
            hasProblem = true
            switch error {
            case .encrypted:
                sink.warn(
                    "\(connector.address) encrypts its values, which is not supported. "
                        + "Turn the encryption off in the settings of the device.")
            case .malformed:
                sink.warn(
                    "\(connector.address) sent bytes that are not valid \(connector.format.rawValue)."
                )
            }
        }
    }
}

extension BusSignal {
    /// The properties of a device that was added or changed at a path; `nil` for another signal.
    fileprivate func deviceProperties(at wanted: String) -> [String: BusValue]? {
        if let change = PropertyChange(self) {
            return change.path == wanted && change.interface == BlueZ.device ? change.changed : nil
        }
        guard member == "InterfacesAdded", arguments.count >= 2, arguments[0].text == wanted else {
            return nil
        }
        return arguments[1].members?[BlueZ.device]?.members
    }
}
