import Auth
import Logging
import Samples

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
        let details = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            .map { " \($0.key)=\($0.value)" }.joined()
        let text = "\(event.message)\(details)".escapedForDisplay(limit: 1000)
        gate.write("\(Timestamp.now()) \(event.level) \(label): \(text)\n", to: 2)
    }
}
