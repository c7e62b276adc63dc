import Egress

/// What came of sending something.
public struct SendReply: Codable, Sendable {
    public let delivered: Bool
    /// What the server answered, where it took it.
    public let status: Int?
    /// What is kept, where it did not arrive.
    public let kept: DeliveryDescription?
    /// Stretches of time of which samples are damaged, and which are missing in what was sent.
    public let damaged: String?

    init(_ outcome: Outbox.Outcome, damaged: String? = nil) {
        self.damaged = damaged
        switch outcome {
        case .delivered(let status): (delivered, self.status, kept) = (true, status, nil)
        case .kept(let delivery):
            (delivered, status, kept) = (false, nil, DeliveryDescription(delivery))
        }
    }
}
