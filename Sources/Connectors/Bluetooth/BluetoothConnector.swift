import DBus
import Foundation
import Ingest
import Motion
import Samples
import Synchronization

/// Reads characteristics of a Bluetooth Low Energy device through BlueZ.
///
/// ```json
/// { "kind": "bluetooth", "name": "IOTDoor", "characteristics": [
///     { "name": "lock", "service": "180d", "characteristic": "2a37", "form": "lock" } ] }
/// ```
public struct BluetoothConnector: ConnectorKind {
    public static let kind = "bluetooth"
    public static let consequence =
        "Nervous scans for it over Bluetooth and connects to it for as long as the sensor is on."

    private static let maximumCharacteristics = 16
    private static let longestName = 248

    let target: BluetoothTarget
    /// The name of the adapter, such as `hci0`; `nil` for any powered one.
    let adapter: String?
    /// The maximum duration of a scan for the device.
    let scanLimit: Duration
    /// The time limit of each step of connecting.
    let stepLimit: Duration
    let characteristics: [BluetoothCharacteristic]
    /// Whether values are parts of lines.
    let takesLines: Bool
    private let bus: String

    /// Reads `name` or `address`, `adapter`, `scanFor` (30s), `connectTimeout` (30s), `lines` (whether
    /// values are parts of lines) and `characteristics`, a list of `service`, `characteristic`,
    /// `read` (how often to read one without notifications) and, for all of them or for none,
    /// `name` and `form`.
    public init(_ source: inout PackObject) throws(PackError) {
        let name = try source.text("name")
        let address = try source.text("address")
        switch (name, address) {
        case (let name?, nil):
            guard name.utf8.count <= Self.longestName else {
                throw source.wrong("name", "is longer than \(Self.longestName) bytes")
            }
            target = .name(name)
        case (nil, let address?):
            guard let found = BluetoothTarget(address: address) else {
                throw source.wrong("address", "is not an address such as AA:BB:CC:DD:EE:FF")
            }
            target = found
        case (nil, nil): throw source.missing("name")
        default: throw source.wrong("address", "cannot be combined with name")
        }
        adapter = try source.text("adapter")
        guard adapter?.wholeMatch(of: /hci[0-9]{1,3}/) != nil || adapter == nil else {
            throw source.wrong("adapter", "is not an adapter such as hci0")
        }
        scanLimit =
            try source.duration("scanFor", in: .seconds(1)...(.seconds(600))) ?? .seconds(30)
        stepLimit =
            try source.duration("connectTimeout", in: .seconds(1)...(.seconds(300))) ?? .seconds(30)
        guard
            let items = try source.objects("characteristics", atMost: Self.maximumCharacteristics)
        else { throw source.missing("characteristics") }
        var characteristics: [BluetoothCharacteristic] = []
        for var item in items { characteristics.append(try BluetoothCharacteristic(&item)) }
        let named = characteristics.compactMap(\.name)
        guard named.isEmpty || named.count == characteristics.count else {
            throw source.wrong(
                "characteristics", "requires a name and form in all elements or in none")
        }
        guard Set(named).count == named.count else {
            throw source.wrong("characteristics", "contains duplicate names")
        }
        guard characteristics.count == 1 || !characteristics.contains(where: \.isList) else {
            throw source.wrong(
                "characteristics", "cannot combine heart-rate-intervals with other values")
        }
        takesLines = try source.flag("lines") ?? false
        guard !takesLines || named.isEmpty else {
            throw source.wrong("lines", "cannot be combined with characteristics that have a form")
        }
        self.characteristics = characteristics
        bus = BusAddress.system(in: ProcessInfo.processInfo.environment)
    }

    /// - Parameter bus: the address of the system bus.
    init(
        _ target: BluetoothTarget, adapter: String? = nil,
        characteristics: [BluetoothCharacteristic], takesLines: Bool = false,
        scanLimit: Duration = .seconds(30), stepLimit: Duration = .seconds(30), bus: String
    ) {
        (self.target, self.adapter, self.bus) = (target, adapter, bus)
        (self.characteristics, self.takesLines) = (characteristics, takesLines)
        (self.scanLimit, self.stepLimit) = (scanLimit, stepLimit)
    }

    public var sourceName: String { target.description }

    public var names: [String]? {
        let names = characteristics.compactMap(\.name)
        return names.isEmpty ? nil : names
    }

    public func connect(_ sink: SampleSink) async throws {
        do {
            let bluez = try await BlueZ(bus: bus)
            let session = BluetoothSession(connector: self, bluez: bluez, sink: sink)
            let result: Result<Void, any Error>
            do {
                result = .success(try await session.run())
            } catch {
                result = .failure(error)
            }
            // BlueZ cleans up everything else when the connection closes.
            await bluez.close()
            try result.get()
        } catch let problem as BluetoothProblem {
            throw problem.error
        } catch let error as BusError {
            let fault = BluetoothErrors(sourceName: sourceName)
            let reported = fault.failed(error, to: "respond", within: stepLimit)
            throw (reported as? BluetoothProblem)?.error ?? reported
        }
    }
}

/// Converts values of characteristics to payloads and readings, and passes them to a sink.
final class BluetoothFeed: Sendable {
    private let sourceName: String
    private let sink: SampleSink
    private let lines: LineFeed?
    /// Characteristics whose last value was invalid.
    private let invalidCharacteristics = Mutex<Set<BluetoothCharacteristic>>([])

    init(_ connector: BluetoothConnector, _ sink: SampleSink) {
        (sourceName, self.sink) = (connector.sourceName, sink)
        lines =
            connector.takesLines
            ? LineFeed(
                sink,
                mismatchWarning:
                    "\(connector.sourceName) sent no line that matches the sensor pack.")
            : nil
    }

    /// Takes a value; `nil` if it was not a byte array.
    ///
    /// - Parameter characteristics: what is decoded of it, together one reading.
    func take(_ bytes: [UInt8]?, of characteristics: [BluetoothCharacteristic]) {
        guard let bytes, bytes.count <= CharacteristicDecoder.longest else {
            return sink.reject()
        }
        if let lines {
            lines.take(bytes[...])
            return
        }
        var values: [String: Value] = [:]
        var isInvalid = false
        for characteristic in characteristics {
            guard let form = characteristic.form, let name = characteristic.name else {
                sink.take(bytes)
                continue
            }
            let decoded = form.values(of: bytes)
            report(characteristic, form, fits: decoded != nil)
            isInvalid = isInvalid || decoded == nil
            if form.isList {
                for value in decoded ?? [] { sink.take(Reading(values: [name: value])) }
            } else {
                values[name] = decoded?.first
            }
        }
        if isInvalid { sink.reject() }
        if !values.isEmpty { sink.take(Reading(values: values)) }
    }

    private func report(
        _ characteristic: BluetoothCharacteristic, _ form: CharacteristicDecoder, fits: Bool
    ) {
        let isResolved = invalidCharacteristics.withLock { invalidCharacteristics in
            guard fits else {
                invalidCharacteristics.insert(characteristic)
                return false
            }
            return invalidCharacteristics.remove(characteristic) != nil
                && invalidCharacteristics.isEmpty
        }
        if !fits {
            sink.warn(
                "\(sourceName) sent a value of \(characteristic.title) that is not a valid \(form)."
            )
        } else if isResolved {
            sink.warn(nil)
        }
    }
}
