import DBus
import Samples

/// The data that a Bluetooth Low Energy device broadcasts, as BlueZ reports it.
struct Advertisement: Hashable, Sendable {
    /// Data of services by their UUID.
    var services: [BluetoothUUID: [UInt8]] = [:]
    /// Data of manufacturers by the number that the Bluetooth SIG assigned.
    var manufacturers: [UInt16: [UInt8]] = [:]

    /// - Parameter properties: properties of a device of BlueZ; those of an unexpected type are
    ///   ignored.
    init(_ properties: [String: BusValue]) {
        for (text, value) in properties["ServiceData"]?.members ?? [:] {
            if let uuid = BluetoothUUID(text), let bytes = value.bytes { services[uuid] = bytes }
        }
        for entry in properties["ManufacturerData"]?.entries ?? [] {
            if let number = entry.key.integer.flatMap({ UInt16(exactly: $0) }),
                let bytes = entry.value.bytes
            {
                manufacturers[number] = bytes
            }
        }
    }
}

extension BusValue {
    /// The entries of a table with keys of any type.
    fileprivate var entries: [Entry]? {
        switch self {
        case .table(_, let entries): entries
        case .variant(let inner): inner.entries
        default: nil
        }
    }
}

/// Decodes the broadcasts of a family of sensors.
protocol AdvertisementDecoder: Sendable {
    /// The names of the values that it can deliver.
    static var names: [String] { get }

    /// The values of an advertisement, or `nil` if it is not of this format.
    ///
    /// - Throws: ``AdvertisementFault``.
    static func decode(
        _ advertisement: Advertisement
    ) throws(AdvertisementFault) -> AdvertisedValues?
}

/// What a device broadcast at one time.
struct AdvertisedValues: Hashable, Sendable {
    /// The values by name; those that the device marks as unknown are missing.
    var values: [String: Value] = [:]
    /// A number that changes with each measurement, if the format has one: broadcasts are repeated.
    var counter: Int?
}

/// Why an advertisement of the right format has no values.
enum AdvertisementFault: Error, Hashable, Sendable {
    /// The values are encrypted.
    case encrypted
    /// The bytes are not in the format, or in a version of it that is not known.
    case malformed
}

/// Reads integers from bytes, one after the other.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

    var count: Int { rest.count }

    /// The next bytes.
    mutating func bytes(_ count: Int) throws(AdvertisementFault) -> [UInt8] {
        guard rest.count >= count else { throw .malformed }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The next 1 to 4 bytes as an integer without a sign, little-endian.
    mutating func unsigned(_ count: Int) throws(AdvertisementFault) -> Int {
        try bytes(count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next 1 to 4 bytes as an integer in two's complement, little-endian.
    mutating func signed(_ count: Int) throws(AdvertisementFault) -> Int {
        Self.signed(try unsigned(count), bytes: count)
    }

    /// The next 1 to 4 bytes as an integer without a sign, big-endian.
    mutating func bigUnsigned(_ count: Int) throws(AdvertisementFault) -> Int {
        try bytes(count).reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next 1 to 4 bytes as an integer in two's complement, big-endian.
    mutating func bigSigned(_ count: Int) throws(AdvertisementFault) -> Int {
        Self.signed(try bigUnsigned(count), bytes: count)
    }

    private static func signed(_ number: Int, bytes: Int) -> Int {
        let sign = 1 << (bytes * 8 - 1)
        return number >= sign ? number - 2 * sign : number
    }
}
