/// What a run needs.
public struct RunConfiguration: Sendable {
    public var app: String
    /// The run's bearer token; it stays with the host, the app never holds it.
    public var token: String
    /// Evaluated in this order.
    public var scripts: [RunScript]
    /// The page that is opened after them and runs what it loads; `nil` where the scripts are all.
    public var page: String?
    /// What the app may load when it needs it.
    public var libraries = RunLibraries()
    public var presentation = RunPresentation()
    /// The path whose call starts the app, when scripts run in its place; its own is the last then.
    ///
    /// `nil` where the app starts at once.
    var starter: String?
    /// The time that the app lives in; the machine's where it is `nil`.
    public var time: (any RunTime)?
    /// What the person is told before the app says anything.
    public var notices: [String] = []
    public var budget = RunBudget()
    /// How long the process may leave a question of the host's unanswered, a turn of the app aside.
    public var patience = Duration.seconds(5)

    public init(app: String, token: String, scripts: [RunScript]) {
        self.app = app
        self.token = token
        self.scripts = scripts
    }
}

/// A script, under the name that errors give it.
public struct RunScript: Sendable {
    public let name: String
    public let source: String

    public init(name: String, source: String) {
        self.name = name
        self.source = source
    }
}
