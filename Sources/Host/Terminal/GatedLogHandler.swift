import Auth
import Logging

/// The log on standard error, which waits while a question stands like everything else.
struct GatedLogHandler: LogHandler {
    let label: String
    let gate: OutputGate
    var logLevel = Logger.Level.error
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let text = event.message.description.escapedForDisplay(limit: 1000)
        gate.write("\(event.level): \(label): \(text)\n", to: 2)
    }
}
