/// A run of an app.
public struct RunDescription: Codable, Sendable {
    /// How a run ended.
    public struct Ending: Codable, Sendable {
        /// A stable name, such as `finished` or `sandbox-violation`.
        public let name: String
        /// The exit code of `nervous run`.
        public let exitCode: Int32
        /// Details, partly in the app's words: escape them before display.
        public let detail: String?

        /// Creates a value from its members.
        public init(name: String, exitCode: Int32, detail: String? = nil) {
            self.name = name
            self.exitCode = exitCode
            self.detail = detail
        }
    }

    /// The resources that a run has used.
    public struct Usage: Codable, Sendable {
        /// Milliseconds of processor time.
        public let cpu: Double
        /// The peak of resident bytes; the current number while it runs.
        public let memory: Int
        /// Calls to the host.
        public let calls: Int
        /// Samples read.
        public let samples: Int
        /// UTF-8 bytes on the console.
        public let logged: Int

        /// Creates a value from its members.
        public init(cpu: Double, memory: Int, calls: Int, samples: Int, logged: Int) {
            self.cpu = cpu
            self.memory = memory
            self.calls = calls
            self.samples = samples
            self.logged = logged
        }
    }

    /// The run's identifier.
    public let run: String
    /// The app's name.
    public let app: String
    /// `prepared`, `running`, `waiting` or `ended`.
    public let state: String
    /// Whether it runs in the background.
    public let background: Bool
    /// When it started, in milliseconds since 1970.
    public let started: Double
    /// When it ended, in milliseconds since 1970.
    public let ended: Double?
    /// How it ended.
    public let ending: Ending?
    /// How often it was restarted.
    public let restarts: Int
    /// Whether it failed too often in the background to be restarted again.
    public let gaveUp: Bool
    /// The resources that it has used.
    public let usage: Usage
    /// The layers that confine it; empty if it is not confined.
    public let layers: [String]?
    /// The last lines of its console; only in the answer to a request for a single run.
    public let console: [RunEventItem]?

    /// Creates a value from its members.
    public init(
        run: String, app: String, state: String, background: Bool, started: Double,
        ended: Double? = nil, ending: Ending? = nil, restarts: Int, gaveUp: Bool, usage: Usage,
        layers: [String]? = nil, console: [RunEventItem]? = nil
    ) {
        self.run = run
        self.app = app
        self.state = state
        self.background = background
        self.started = started
        self.ended = ended
        self.ending = ending
        self.restarts = restarts
        self.gaveUp = gaveUp
        self.usage = usage
        self.layers = layers
        self.console = console
    }
}

/// One line of the answer that starts a run.
///
/// The texts come from the app: escape them before display, except those of `message`, which the
/// host has escaped already.
public struct RunEventItem: Codable, Sendable {
    /// `started`, `console`, `uncaught`, `asks`, `refused`, `message`, `view`, `markup`, `ended` or `failed`.
    public let event: String
    /// When the host received it, in milliseconds since 1970; of what the app wrote and of `started`.
    public var time: Double?
    /// Of `console`: `debug`, `log`, `info`, `warn` or `error`.
    public var level: String?
    /// The text of the event.
    public var text: String?
    /// The title of a `message`.
    public var title: String?
    /// Of `uncaught`: file, line and column.
    public var place: String?
    /// Of `uncaught`: the call stack.
    public var stack: String?
    /// Of `started`: the layers that confine the app; empty if it is not confined.
    public var layers: [String]?
    /// Of `asks`: the undecided privilege that the app needs, whose call waits for a while; of `refused`: the
    /// privilege that a call needed.
    public var privilege: String?
    /// Of `ended`: the run.
    public var run: RunDescription?
    /// Of `failed`: the problem's code.
    public var code: String?
    /// Of `failed` and `refused`: how to resolve it.
    public var fix: String?

    /// Creates a value from its members.
    public init(
        event: String, time: Double? = nil, level: String? = nil, text: String? = nil,
        title: String? = nil,
        place: String? = nil, stack: String? = nil, layers: [String]? = nil,
        privilege: String? = nil, run: RunDescription? = nil, code: String? = nil,
        fix: String? = nil
    ) {
        self.event = event
        self.time = time
        self.level = level
        self.text = text
        self.title = title
        self.place = place
        self.stack = stack
        self.layers = layers
        self.privilege = privilege
        self.run = run
        self.code = code
        self.fix = fix
    }
}

/// The options for preparing a run.
public struct PrepareRunRequest: Codable, Sendable {
    /// Whether it runs in the background; `false` if missing.
    public var background: Bool?

    /// Creates a value from its members.
    public init(background: Bool? = nil) {
        self.background = background
    }
}

/// The options for starting a prepared run.
public struct StartRunRequest: Codable, Sendable {
    /// Whether to run without confinement.
    public var insecure: Bool?
    /// Whether to report the visible text of the page when it changes.
    public var view: Bool?
    /// Whether to report the document at the end.
    public var markup: Bool?
    /// Milliseconds after which the run ends as if it had nothing left to do.
    public var lifetime: UInt32?

    /// Creates a value from its members.
    public init(
        insecure: Bool? = nil, view: Bool? = nil, markup: Bool? = nil, lifetime: UInt32? = nil
    ) {
        self.insecure = insecure
        self.view = view
        self.markup = markup
        self.lifetime = lifetime
    }
}
