/// What a broker passed on.
struct MQTTMessage: Sendable {
    let topic: String
    let payload: [UInt8]
    /// Whether the broker had kept it from before; nobody says since when.
    let isRetained: Bool
}
