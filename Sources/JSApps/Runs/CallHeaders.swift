import RunnerProtocol

/// The header fields that an app may choose; the rest is the host's.
enum CallHeaders {
    private static let names: Set<String> = [
        "accept", "content-type", "idempotency-key", "if-match", "if-none-match", "last-event-id",
        "nervous-request",
    ]

    static func allowed(_ fields: [HeaderField]) -> [(name: String, value: String)] {
        fields.compactMap { field in
            let isPlain = field.value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            guard names.contains(field.name.lowercased()), isPlain else { return nil }
            return (field.name, field.value)
        }
    }
}

extension HeaderField {
    init(_ field: (name: String, value: String)) {
        self.init(field.name, field.value)
    }
}

extension RunEvent.Level {
    init(_ level: ConsoleLevel) {
        self =
            switch level {
            case .debug: .debug
            case .log: .log
            case .info: .info
            case .warn: .warn
            case .error: .error
            }
    }
}
