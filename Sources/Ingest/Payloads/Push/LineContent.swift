/// What was in a text in line protocol.
public struct LineContent: Hashable, Sendable {
    /// The lines that could be read, in their order.
    public var points: [LinePoint] = []
    /// The others.
    public var faults: [LineFault] = []
}
