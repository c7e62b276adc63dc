/// What a message may have at most.
public enum BusLimits {
    /// How deep values may stand in each other.
    public static let depth = 16
    /// Values in one message, each element counted.
    public static let values = 1 << 18
    /// Bytes of texts and of arrays of bytes in one message.
    public static let bytes = 8 << 20
}
