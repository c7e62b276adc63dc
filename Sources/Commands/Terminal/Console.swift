import API
import Auth
import Foundation
import Glibc
import Host
import Text

/// The output of a command: results on standard output, messages on standard error.
struct Console: Sendable {
    /// Whether results are JSON.
    let isJSON: Bool
    var gate = OutputGate.standard
    /// The descriptors of results and messages.
    var output: Int32 = 1
    var messages: Int32 = 2

    /// Prints a line of results.
    func print(_ line: String) {
        gate.write(line + "\n", to: output)
    }

    /// Prints a message.
    func say(_ line: String) {
        gate.write(line + "\n", to: messages)
    }

    /// Prints text of an app: as the app wrote it to a file or a pipe, escaped to a terminal, which
    /// the text could otherwise control.
    ///
    /// - Parameters:
    ///   - limit: the columns of a line on a terminal.
    ///   - isMessage: whether the text is a message instead of a result.
    ///   - keepsLayout: whether tabs and no-break spaces of a page's text stay on a terminal.
    func show(
        _ text: String, limit: Int, isMessage: Bool = false, keepsLayout: Bool = false
    ) {
        let target = isMessage ? messages : output
        guard isatty(target) == 1 else { return gate.write(text + "\n", to: target) }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let parts =
                keepsLayout
                ? line.replacing("\u{A0}", with: " ").split(
                    separator: "\t", omittingEmptySubsequences: false)
                : [line]
            let shown = parts.map { String($0).escapedForDisplay(limit: limit) }
            gate.write(shown.joined(separator: "\t") + "\n", to: target)
        }
    }

    /// Prints JSON of the API, one document per line.
    func print(json data: Data) {
        gate.write(Self.escaped(String(decoding: data, as: UTF8.self)) + "\n", to: output)
    }

    /// Prints a value as JSON, one document per line.
    func print(encoding value: some Encodable) throws {
        print(json: try JSONEncoder.sorted.encode(value))
    }

    func report(_ failure: CommandFailure) {
        let prefix = LogSeverity.error.prefix
        if isJSON {
            let problem = ["error": failure.message, "type": failure.type, "hint": failure.hint]
            let text = (try? JSONEncoder.sorted.encode(problem.compactMapValues { $0 })) ?? Data()
            say(prefix + String(decoding: text, as: UTF8.self))
            return
        }
        say("\(prefix)error: \(failure.message)")
        if let hint = failure.hint { say("\(prefix)hint: \(hint)") }
    }

    /// Prints a message without line break, such as progress.
    static func sayInLine(_ text: String) {
        OutputGate.standard.write(text, to: 2)
    }

    /// Escapes characters that could move or hide text on a terminal, with equivalent JSON.
    static func escaped(_ json: String) -> String {
        guard !json.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) else {
            return json
        }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            // Line breaks of formatted JSON are kept.
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
    static var outputIsTerminal: Bool { isatty(1) == 1 }
    static var messagesAreTerminal: Bool { isatty(2) == 1 }
}

extension Console {
    /// The members of replies about missing samples.
    private struct Missing: Decodable {
        let damaged: [DamagedRange]?
        let partial: Bool?
    }

    /// Warns about samples that are missing from a reply.
    ///
    /// - Parameter sensor: the sensor of the reply, if it is about one.
    func warnAboutDamage(in answer: Data, of sensor: String? = nil) {
        let answer = try? JSONDecoder().decode(Missing.self, from: answer)
        if answer?.partial == true {
            say("warning: some samples are missing: only hourly summaries of them are left")
        }
        warn(about: answer?.damaged, of: sensor)
    }

    private struct Gap: Decodable {
        let sensor: String?
        let reason: String
    }

    /// Warns about samples that a stream has left out.
    ///
    /// - Parameter isOfSeveral: whether the stream is of several sensors, so that the warning names one.
    func warnAboutGap(in event: Data, isOfSeveral: Bool = false) {
        let gap = try? JSONDecoder().decode(Gap.self, from: event)
        let samples = "some samples" + (isOfSeveral ? " of \(gap?.sensor ?? "a sensor")" : "")
        say(
            gap?.reason == "history"
                ? "warning: \(samples) are too old to be read under the grant"
                : "warning: \(samples) are no longer stored")
    }

    func warn(about damaged: [DamagedRange]?, of sensor: String? = nil) {
        for range in damaged ?? [] {
            let name = range.sensor ?? sensor ?? "a sensor"
            say("warning: samples of \(name) are damaged and cannot be read: \(range.span)")
        }
    }
}

extension DamagedRange {
    /// The time range as text.
    var span: String {
        switch (from.map(Format.time), to.map(Format.time)) {
        case (let from?, let to?): "from \(from) to \(to)"
        case (let from?, nil): "from \(from) on"
        case (nil, let to?): "up to \(to)"
        case (nil, nil): "at an unknown time"
        }
    }
}

/// Unescaped bytes on standard output.
enum RawOutput {
    /// - Parameter subject: the start of the message.
    /// - Throws: `CommandFailure` if standard output is a terminal, which text of an app could control.
    static func check(
        _ subject: String = "Samples are",
        hint: String = "Use nervous query, or redirect standard output to a file or program."
    ) throws {
        guard isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                .usage, "\(subject) not written to a terminal unescaped.", hint: hint)
        }
    }

    /// - Returns: whether the reader has not closed the pipe.
    /// - Throws: `CommandFailure` if writing fails.
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
                    .inputOutput,
                    "Cannot write to standard output: \(String(cString: strerror(errno))).",
                    type: "input")
            }
        }
        return true
    }
}
