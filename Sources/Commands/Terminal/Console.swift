import Auth
import Foundation
import Glibc
import Host
import API
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

extension Console {
    /// The part of the host's answers that tells of samples that are not in them.
    private struct Missing: Decodable {
        let damaged: [DamagedRange]?
        let partial: Bool?
    }

    /// Tells beside an answer of the host which samples could not be read.
    ///
    /// - Parameter sensor: the one that the answer is about, if it is about one.
    func tellDamage(_ answer: Data, of sensor: String? = nil) {
        let answer = try? JSONDecoder().decode(Missing.self, from: answer)
        if answer?.partial == true {
            say("warning: some samples are gone and left out: only summaries of hours are left")
        }
        tell(answer?.damaged, of: sensor)
    }

    func tell(_ damaged: [DamagedRange]?, of sensor: String? = nil) {
        for range in damaged ?? [] {
            let name = range.sensor ?? sensor ?? "a sensor"
            say("warning: samples of \(name) are damaged and cannot be read: \(range.span)")
        }
    }
}

extension DamagedRange {
    /// The times, for a person.
    var span: String {
        switch (from.map(Format.time), to.map(Format.time)) {
        case (let from?, let to?): "from \(from) to \(to)"
        case (let from?, nil): "from \(from) on"
        case (nil, let to?): "up to \(to)"
        case (nil, nil): "nobody can tell of which time"
        }
    }
}

/// Standard output for bytes that are not made fit for a terminal.
enum RawOutput {
    /// - Parameter what: begins the sentence that refuses.
    /// - Throws: `CommandFailure` when it is a terminal, which texts of an app could drive.
    static func check(
        _ what: String = "Samples are",
        hint: String = "Look at them with nervous query, or send them to a file or a program."
    ) throws {
        guard isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                .usage, "\(what) written as they are, and not to a terminal.", hint: hint)
        }
    }

    /// - Returns: whether somebody still reads.
    /// - Throws: `CommandFailure` when writing fails.
    static func write(_ data: Data) throws -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                return false
            } else if errno != EINTR {
                throw CommandFailure(
                    .input,
                    "Standard output cannot be written: \(String(cString: strerror(errno)))."
                )
            }
        }
        return true
    }
}
