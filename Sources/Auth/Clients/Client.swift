import Samples

/// The holder of a token.
public struct Client: Hashable, Sendable {
    /// The kinds of client.
    public enum Kind: String, Hashable, Sendable {
        /// The owner, who may do everything.
        case owner
        /// An installed app.
        case app
        /// A program of the owner, such as `curl`.
        case client
    }

    /// Unique among all clients.
    public let name: String
    /// Owner, app or program.
    public let kind: Kind
    /// The run or open page that the token belongs to; `nil` for a client's own token.
    public let run: String?
    /// Whether it is in the foreground: a foreground run or an open page.
    ///
    /// A program of the owner never is.
    public let isForeground: Bool
    /// Whether it is a command of the owner, with the token of this process, and not a program with an
    /// owner's token.
    let isCommand: Bool
    /// Whether it is a page of the owner's dashboard.
    let isDashboard: Bool
    /// How its token was narrowed by its holder; `nil` for a token of the host.
    private(set) var attenuation: Attenuation?

    init(
        name: String, kind: Kind, run: String?, isForeground: Bool = true, isCommand: Bool = false,
        isDashboard: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.run = run
        self.isForeground = isForeground && run != nil
        self.isCommand = isCommand
        self.isDashboard = isDashboard
    }

    /// The owner who started this process.
    ///
    /// It is recognised by its token and its kind. Its name is for display: an app of the same name is
    /// another client.
    public static let owner = Client(name: "owner", kind: .owner, run: nil, isCommand: true)

    /// The owner at a page of the dashboard.
    ///
    /// As with the owner's commands, its name is for display.
    static let dashboard = Client(
        name: "dashboard", kind: .owner, run: nil, isDashboard: true)

    /// The client with a narrowed token, or with its own for `nil`.
    func narrowed(by attenuation: Attenuation?) -> Client {
        var client = self
        client.attenuation = attenuation
        return client
    }

    /// Whether its token includes a sensor, as far as the holders who narrowed it decided.
    func includes(_ sensor: SensorID) -> Bool { attenuation?.covers(sensor) ?? true }

    /// How the access log records it.
    var logKind: AccessLogEntry.ClientKind {
        switch kind {
        case .owner: isCommand ? .command : isDashboard ? .dashboard : .owner
        case .app: .app
        case .client: .client
        }
    }
}
