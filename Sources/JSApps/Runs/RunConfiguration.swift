/// What a run needs.
public struct RunConfiguration: Sendable {
    /// A script, under the name that errors give it.
    public struct Script: Sendable {
        public let name: String
        public let source: String

        public init(name: String, source: String) {
            self.name = name
            self.source = source
        }
    }

    /// The path of `nervous-runner`.
    public var runner: String
    public var app: String
    /// The run's bearer token; it stays with the host, the app never holds it.
    public var token: String
    /// Evaluated in this order.
    public var scripts: [Script]
    /// How long the event loop may leave a question unanswered.
    public var patience = Duration.seconds(5)
    /// Whether to run without confinement where the kernel cannot give it.
    public var isInsecure = false
    /// A way out of the sandbox to try in place of the scripts; the runner lists them.
    public var probe: String?

    public init(runner: String, app: String, token: String, scripts: [Script]) {
        self.runner = runner
        self.app = app
        self.token = token
        self.scripts = scripts
    }
}
