import Foundation

/// Where a command writes: facts to standard output, talk to standard error.
struct Console: Sendable {
    /// Whether facts are to be JSON.
    let isJSON: Bool
    var gate = OutputGate.standard
    /// Where facts and where talk go.
    var output: Int32 = 1
    var talk: Int32 = 2

    /// A line of facts.
    func print(_ line: String) {
        gate.write(line + "\n", to: output)
    }

    /// A line of talk.
    func say(_ line: String) {
        gate.write(line + "\n", to: talk)
    }

    /// JSON as the host's API gave it, one document a line.
    func print(json data: Data) {
        gate.write(String(decoding: data, as: UTF8.self) + "\n", to: output)
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

    /// Talk that stays in its line, such as progress.
    static func sayInLine(_ text: String) {
        OutputGate.standard.write(text, to: 2)
    }

    static var inputIsTerminal: Bool { isatty(0) == 1 }
    static var talkIsTerminal: Bool { isatty(2) == 1 }
}
