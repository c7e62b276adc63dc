import Text

/// Something about a door that is worth telling.
public enum DoorEvent: Hashable, Sendable {
    case lock(DoorState)
    /// The charge in percent.
    case battery(Double)

    /// As a sensor sends it: one byte for the lock, one decimal in ASCII for the battery.
    public var bytes: [UInt8] {
        switch self {
        case .lock(let state): [state == .locked ? 1 : 0]
        case .battery(let percent):
            Array(DecimalText(percent, digits: 1, isPadded: true).description.utf8)
        }
    }
}

/// What a contact at a door says.
public enum DoorState: String, Hashable, Sendable, CaseIterable, Codable {
    case locked, unlocked
}

/// Makes events of what a door sensor measures each second.
///
/// The lock is told when it changes, the battery when it has moved by more than 5 points from what was
/// told before: a battery that is replaced is told as well as one that runs down. Both are told anew
/// to who connects.
public struct DoorEvents: Hashable, Sendable {
    private var lock = ChangeFilter<DoorState>()
    private var battery = Hysteresis(margin: 5)

    public init() {}

    public var isConnected: Bool { lock.isConnected }

    /// Somebody listens from now on.
    public mutating func connect() {
        guard !lock.isConnected else { return }
        lock.connect()
        battery.reset()
    }

    /// Nobody listens any more.
    public mutating func disconnect() {
        lock.disconnect()
        battery.reset()
    }

    /// Takes a measurement; what is `nil` was not measured.
    ///
    /// - Parameter battery: percent.
    /// - Returns: what is to be told, nothing while nobody is connected.
    public mutating func take(_ state: DoorState?, battery percent: Double? = nil) -> [DoorEvent] {
        guard isConnected else { return [] }
        var events: [DoorEvent] = []
        if let state, lock.tells(state) { events.append(.lock(state)) }
        if let percent, battery.tells(percent) { events.append(.battery(percent)) }
        return events
    }
}
