/// What a person sees of a run while it goes on.
///
/// Every text in it is the app's: escape it.
public enum RunEvent: Hashable, Sendable {
    /// The process is confined; `layers` names what confines it, and is empty with `--insecure`.
    case started(layers: [String])
    case console(level: Level, text: String)
    /// An error that the app did not catch.
    case uncaught(message: String, place: String?, stack: String)

    /// The visible text of the app's page, which has changed.
    case view(text: String)
    /// The document of the app's page at the end.
    case markup(text: String)

    public enum Level: Hashable, Sendable {
        case debug, log, info, warn, error
    }
}
