import Auth
import Foundation
import Samples

extension AccessLogReport {
    private struct Facts: Encodable {
        let intact: Bool
        let lines: Int
        let cut: Int64
        let first: Double?
        let last: Double?
        let head: String
        let expected: Bool?
        let line: Int64?
        let fault: String?
    }

    /// The facts as one line of JSON.
    var json: Data {
        let facts = Facts(
            intact: isIntact, lines: lines, cut: cut, first: first?.milliseconds,
            last: last?.milliseconds, head: head, expected: hasExpected, line: fault?.line,
            fault: fault?.message)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(facts)) ?? Data()
    }

    /// The facts for a person.
    var text: [String] {
        var shown: [String] = []
        if let first, let last {
            let times = "\(Format.time(first.milliseconds)) to \(Format.time(last.milliseconds))"
            shown.append("\(lines) lines fit, \(times)")
        } else {
            shown.append("No line was written yet.")
        }
        if cut > 0 { shown.append("\(cut) older lines were cut off, as the log says") }
        shown.append("Head: \(head)")
        return shown
    }

    /// What is wrong; `nil` when nothing is.
    var failure: CommandFailure? {
        if let fault {
            return CommandFailure(
                .failed, "The access log was changed. \(fault.message)",
                hint: "The \(lines) lines before it are as they were written.", type: "log-changed")
        }
        guard hasExpected == false else { return nil }
        return CommandFailure(
            .failed,
            "The hash that was noted is not in the chain: lines were rewritten or removed.",
            type: "log-changed")
    }
}
