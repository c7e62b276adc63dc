/// What runs in the place of an app, and starts it when it wants to.
public struct Rehearsal: Sendable {
    /// Evaluated in this order, after what every app finds.
    public let scripts: [RunScript]
    /// The path that starts the app when the scripts call it, with `POST`.
    public let starter: String

    public init(scripts: [RunScript], starter: String) {
        self.scripts = scripts
        self.starter = starter
    }
}
