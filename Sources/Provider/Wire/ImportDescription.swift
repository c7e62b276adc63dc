/// What came of a file of workouts or tracks.
public struct ImportDescription: Codable, Sendable {
    /// The sessions that were made of it, in its order.
    public let items: [SessionDescription]
    /// The identifiers of those that were there already, which stay as they are.
    public let known: [String]
}
