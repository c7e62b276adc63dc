import Auth
import Samples

/// What an app wants and nobody has answered, as the API tells of it.
public struct RequestDescription: Codable, Sendable {
    public let client: String
    public let privilege: String
    /// The run or the page that asks.
    public let run: String?
    /// When it asked first, in milliseconds since 1970.
    public let asked: Double
    /// How many of its calls wait for the answer.
    public let waiting: Int

    init(_ request: PendingRequest) {
        client = request.app
        privilege = request.privilege.description
        run = request.run
        asked = request.asked.milliseconds
        waiting = request.waiting
    }
}
