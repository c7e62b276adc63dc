public import Samples

/// One sensor of a kind, as the person sees it who chooses among several.
public struct SensorInstance: Hashable, Sendable {
    public let id: SensorID
    /// In the words of whoever made the sensor: escape it.
    public let title: String
    /// What its samples come from; escape it, too.
    public let source: String
    /// When its newest sample was taken; `nil` where there is none.
    public let newest: Timestamp?

    public init(id: SensorID, title: String, source: String, newest: Timestamp?) {
        self.id = id
        self.title = title
        self.source = source
        self.newest = newest
    }
}
