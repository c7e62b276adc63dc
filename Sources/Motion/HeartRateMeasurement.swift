/// The value of the characteristic Heart Rate Measurement, `2A37`, of heart-rate straps and watches.
///
/// ```swift
/// HeartRateMeasurement([0x16, 72, 0x00, 0x04])?.intervals  // [1000]
/// ```
/// Source: Bluetooth SIG, Heart Rate Service 1.0, 3.1.
public struct HeartRateMeasurement: Hashable, Sendable {
    /// Whether the sensor touches the skin.
    public enum Contact: String, Hashable, Sendable {
        /// It touches the skin.
        case detected
        /// It does not, so the rate means nothing.
        case missing
        /// The device does not report it.
        case unknown
    }

    /// Beats a minute.
    public let rate: Int
    /// Whether the sensor touches the skin.
    public let contact: Contact
    /// The energy used since it was reset in kJ; `nil` if this value does not contain it.
    public let energy: Int?
    /// The intervals between beats (RR) since the last value in milliseconds, the oldest first.
    public let intervals: [Double]

    /// Reads the bytes of the characteristic.
    ///
    /// - Returns: `nil` if they end early or are too many.
    public init?(_ bytes: [UInt8]) {
        guard let flags = bytes.first else { return nil }
        var rest = bytes.dropFirst()
        /// The next 16 bits, little-endian.
        func word() -> Int? {
            guard rest.count >= 2 else { return nil }
            let (low, high) = (rest.removeFirst(), rest.removeFirst())
            return Int(high) << 8 | Int(low)
        }
        if flags & 0x01 != 0 {
            guard let wide = word() else { return nil }
            rate = wide
        } else {
            guard let narrow = rest.popFirst() else { return nil }
            rate = Int(narrow)
        }
        switch flags >> 1 & 3 {
        case 2: contact = .missing
        case 3: contact = .detected
        default: contact = .unknown
        }
        if flags & 0x08 != 0 {
            guard let used = word() else { return nil }
            energy = used
        } else {
            energy = nil
        }
        var intervals: [Double] = []
        if flags & 0x10 != 0 {
            // In 1/1024 s.
            while let interval = word() { intervals.append(Double(interval) / 1024 * 1000) }
        }
        self.intervals = intervals
        guard rest.isEmpty else { return nil }
    }
}
