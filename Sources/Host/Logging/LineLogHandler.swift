import Logging

/// Writes each message of the program's own log as one line on standard error.
struct LineLogHandler: LogHandler {
    let label: String
    let format: LogFormat
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var whole = metadata.merging(event.metadata ?? [:]) { _, newer in newer }
        if let error = event.error { whole["error"] = "\(error)" }
        let line = format.line(
            "\(event.message)", level: event.level, label: label, metadata: whole)
        Console(isJSON: false).say(line)
    }
}
