import Auth
import Foundation
import Text

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
        gate.write(Self.harmless(String(decoding: data, as: UTF8.self)) + "\n", to: output)
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

    /// The same JSON with what could move or hide text on a terminal as escapes, which mean the same.
    static func harmless(_ json: String) -> String {
        guard !json.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) else {
            return json
        }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            // What is laid out over several lines stays so.
            guard scalar != "\n", scalar.isUnsafeToDisplay else {
                return text.unicodeScalars.append(scalar)
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }

    static var inputIsTerminal: Bool { isatty(0) == 1 }
    static var talkIsTerminal: Bool { isatty(2) == 1 }
}
