/// Tells a value only when it is another than the one told before.
///
/// Compared with what was *told*, and nothing counts as told while nobody is connected: who connects
/// hears the present value first.
public struct ChangeFilter<Value: Hashable & Sendable>: Hashable, Sendable {
    /// What was told last; `nil` when nothing was since the connection.
    public private(set) var told: Value?
    public private(set) var isConnected = false

    public init() {}

    /// Somebody listens from now on, and has heard nothing yet.
    public mutating func connect() {
        guard !isConnected else { return }
        (isConnected, told) = (true, nil)
    }

    /// Nobody listens any more.
    public mutating func disconnect() {
        (isConnected, told) = (false, nil)
    }

    /// Whether to tell this value.
    public mutating func tells(_ value: Value) -> Bool {
        guard isConnected, value != told else { return false }
        told = value
        return true
    }
}
