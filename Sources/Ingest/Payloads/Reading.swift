public import Samples

/// What a device or a program said at one time: values by the names that it gives them.
public struct Reading: Hashable, Sendable {
    /// When it was measured; `nil` where nothing tells, and then the time of arrival counts.
    public var time: Timestamp?
    public var values: [String: Value]

    public init(time: Timestamp? = nil, values: [String: Value]) {
        self.time = time
        self.values = values
    }
}
