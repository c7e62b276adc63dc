public import Samples

/// What one block of an attenuated token still allows.
///
/// ```swift
/// let caveat = Caveat(label: "sub-agent", sensors: ["cpu"], access: .stats)
/// ```
public struct Caveat: Hashable, Sendable {
    /// The maximum number of sensors of a caveat.
    public static let sensorLimit = 32
    /// The maximum number of characters of a label.
    public static let labelLimit = 32

    /// A name that the holder chose, for the access log: lower-case letters, digits and hyphens.
    public let label: String?
    /// The sensors, or kinds, that may be used; `nil` for all, otherwise sorted and not empty.
    public let sensors: [SensorID]?
    /// The access that is left; `nil` for every access.
    public let access: Access?
    /// The maximum number of samples per second.
    public let maximumRate: Double?
    /// Numbers are rounded to multiples of this.
    public let precision: Double?
    /// The greatest age of samples that may be read.
    public let history: Duration?
    /// When the token ends.
    public let expires: Timestamp?

    /// - Returns: `nil` when a value is out of its range: a label that is not as described, no sensor or
    ///   too many, a number that is not finite and above zero.
    public init?(
        label: String? = nil, sensors: [SensorID]? = nil, access: Access? = nil,
        maximumRate: Double? = nil, precision: Double? = nil, history: Duration? = nil,
        expires: Timestamp? = nil
    ) {
        let numbers = [maximumRate, precision].compactMap(\.self)
        guard label.map(Self.isLabel) ?? true, numbers.allSatisfy({ $0.isFinite && $0 > 0 }),
            history.map({ $0 >= .microseconds(1) }) ?? true,
            sensors.map({ (1...Self.sensorLimit).contains(Set($0).count) }) ?? true
        else { return nil }
        self.label = label
        self.sensors = sensors.map { Set($0).sorted() }
        self.access = access
        self.maximumRate = maximumRate
        self.precision = precision
        self.history = history.map { .microseconds($0.wholeMicroseconds) }
        self.expires = expires
    }

    private static func isLabel(_ text: String) -> Bool {
        (1...labelLimit).contains(text.utf8.count)
            && text.utf8.allSatisfy { character in
                switch character {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// What all blocks of an attenuated token still allow of what its parent may do.
///
/// Only sensors can be used with such a token.
struct Attenuation: Hashable, Sendable {
    /// In the order of the blocks.
    let caveats: [Caveat]

    /// When the first of the blocks ends.
    var expires: Timestamp? { caveats.compactMap(\.expires).min() }

    /// How the access log names the blocks.
    var logText: String {
        "narrowed by " + caveats.map { $0.label ?? "an unnamed block" }.joined(separator: ", ")
    }

    /// Whether every block includes a sensor.
    func covers(_ sensor: SensorID) -> Bool {
        caveats.allSatisfy { $0.sensors?.contains { $0.covers(sensor) } ?? true }
    }

    /// What is left of the parent's terms for one use of a sensor; `nil` when nothing is.
    func narrowed(_ terms: Terms, for access: Access) -> Terms? {
        guard let left = narrowed(terms), left.access.includes(access) else { return nil }
        return left
    }

    /// What is left of a decision of the owner, by the sensors that the blocks include.
    func narrowed(_ record: PermissionRecord) -> [PermissionRecord] {
        guard let sensor = record.privilege.sensor, let access = record.privilege.access else {
            return []
        }
        var scopes: Set<SensorID> = [sensor]
        for sensors in caveats.compactMap(\.sensors) {
            scopes = Set(
                scopes.flatMap { scope in
                    sensors.compactMap { sensor in
                        sensor.covers(scope) ? scope : scope.covers(sensor) ? sensor : nil
                    }
                })
        }
        return scopes.sorted().compactMap { scope in
            let part = record.narrowed(to: PrivilegeID.sensor(scope, access))
            guard let terms = part?.terms else { return part }
            return narrowed(terms).flatMap { part?.with($0) }
        }
    }

    private func narrowed(_ terms: Terms) -> Terms? {
        var left: Terms? = terms
        for caveat in caveats { left = left?.narrowed(by: caveat) }
        return left
    }
}

extension Terms {
    /// The width of the time slots of which one sample may be read, in microseconds; `nil` without a rate.
    ///
    /// Rounded up, so that a slot is never shorter than the rate allows; a rate that is too low for 64 bits
    /// gives the widest slot and not none.
    public var slotWidth: Int64? { maximumRate.map(Self.slotWidth) }

    private static func slotWidth(_ rate: Double) -> Int64 {
        Int64(exactly: (1_000_000 / rate).rounded(.up)).map { max(1, $0) } ?? .max
    }

    /// The steps to which numbers are rounded, one after the other.
    public var roundings: [Double] { (precision.map { [$0] } ?? []) + furtherPrecisions }

    /// These terms as far as a block of a token allows them; `nil` when it allows nothing of them.
    ///
    /// Everything that can be read under the result is a function of what can be read under these terms:
    ///
    /// - The slots of the lower rate are multiples of those of the higher one. The first sample of a slot of
    ///   another width would be one that these terms withhold.
    /// - Numbers are rounded to the steps one after the other. Rounding to another step, even to a larger
    ///   one, reveals where a number lies between two multiples of the first.
    /// - If only statistics are left, rate and precision cannot be narrowed: statistics of fewer samples, or
    ///   of other numbers, are more than the statistics of all.
    func narrowed(by caveat: Caveat) -> Terms? {
        var terms = self
        if terms.access != .write {
            guard terms.narrow(to: caveat.maximumRate, step: caveat.precision) else { return nil }
            if let limit = caveat.history { terms.history = min(terms.history ?? limit, limit) }
        }
        if let end = caveat.expires { terms.expires = min(terms.expires ?? end, end) }
        guard let access = caveat.access, !access.includes(terms.access) else { return terms }
        guard terms.access.includes(access) else { return nil }
        terms.access = access
        return terms
    }

    /// - Returns: whether it is possible.
    private mutating func narrow(to rate: Double?, step: Double?) -> Bool {
        if let rate {
            let wanted = Self.slotWidth(rate)
            if let width = slotWidth {
                guard wanted <= width || access == .raw && widenSlots(width, to: wanted) else {
                    return false
                }
            } else {
                guard access == .raw else { return false }
                maximumRate = rate
            }
        }
        guard let step, roundings.last != step else { return true }
        guard access == .raw else { return false }
        if precision == nil { precision = step } else { furtherPrecisions.append(step) }
        return true
    }

    /// Sets the rate whose slots are the next multiple of the present ones.
    ///
    /// - Returns: whether there is such a rate.
    private mutating func widenSlots(_ width: Int64, to wanted: Int64) -> Bool {
        let count = wanted / width + (wanted % width == 0 ? 0 : 1)
        let (wide, overflow) = width.multipliedReportingOverflow(by: count)
        guard !overflow else { return false }
        let rate = 1_000_000 / Double(wide)
        // The quotient may have been rounded down, and then gives a wider slot.
        guard let exact = [rate, rate.nextUp].first(where: { Self.slotWidth($0) == wide }) else {
            return false
        }
        maximumRate = exact
        return true
    }
}

extension PermissionRecord {
    fileprivate func with(_ terms: Terms) -> PermissionRecord {
        PermissionRecord(
            client: client, privilege: privilege, state: state, terms: terms, run: run,
            decided: decided, identity: identity)
    }
}
