import Foundation

/// Where a command writes: facts to standard output, talk to standard error.
struct Console: Sendable {
    /// Whether facts are to be JSON.
    let isJSON: Bool

    /// A line of facts.
    func print(_ line: String) {
        Self.write(line + "\n", to: 1)
    }

    /// A line of talk.
    func say(_ line: String) {
        Self.write(line + "\n", to: 2)
    }

    /// JSON as the host's API gave it, one document a line.
    func print(json data: Data) {
        Self.write(String(decoding: data, as: UTF8.self) + "\n", to: 1)
    }

    /// A value of this program's own as JSON, one document a line.
    func print(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(json: try encoder.encode(value))
    }

    func report(_ failure: CommandFailure) {
        if isJSON {
            let problem = ["error": failure.message, "type": failure.type, "hint": failure.hint]
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let text = (try? encoder.encode(problem.compactMapValues { $0 })) ?? Data()
            say(String(decoding: text, as: UTF8.self))
            return
        }
        say("error: \(failure.message)")
        if let hint = failure.hint { say("hint: \(hint)") }
    }

    /// Talk without the end of a line, in front of an answer.
    static func ask(_ text: String) {
        write(text, to: 2)
    }

    static var inputIsTerminal: Bool { isatty(0) == 1 }
    static var talkIsTerminal: Bool { isatty(2) == 1 }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
