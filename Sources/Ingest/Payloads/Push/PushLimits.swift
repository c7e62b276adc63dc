/// How much of a body is read at once.
public enum PushLimits {
    /// The most bytes of a body, also of one that was compressed.
    public static let bytes = 8 << 20
    /// How many lists and objects may stand inside each other.
    static let depth = 16
    /// The most lines of a text in line protocol.
    static let lines = 200_000
    /// The most bytes of a name, be it of a sensor, a tag or a field.
    static let name = 256
    /// The most bytes of one text.
    static let text = 64 << 10
    /// How far a time may lie after its arrival, in microseconds: a day, for clocks that are wrong.
    static let ahead: Int64 = 86_400_000_000
}
