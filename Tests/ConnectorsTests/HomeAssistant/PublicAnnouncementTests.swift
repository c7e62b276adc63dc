import Foundation
import Ingest
import Samples
import Testing
import Text

@testable import Connectors

/// The folder of the announcements.
private let folder = ProcessInfo.processInfo.environment["ANNOUNCEMENTS"]

/// Reads announcements and templates of other projects, which are not part of this one.
///
/// The folder has a file `PROJECT.jsonl` for each project. A line is an object: an announcement with `topic`, `config`
/// (its text), `stateTopic` and `message`, or only a `template` with its `message`; and `expected`, the value
/// that Jinja and a conversion of the unit give, `null` for none.
@Suite(.enabled(if: folder != nil, "set ANNOUNCEMENTS to a folder of such files"))
struct PublicAnnouncementTests {
    private struct Counts: Equatable {
        var cases = 0
        var right = 0
        var refused = 0
    }

    /// The counts by project that `announcement-counts.tsv` lists.
    private static func expectation() throws -> [String: Counts] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "announcement-counts.tsv")
        var counts: [String: Counts] = [:]
        for row in try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        {
            let cells = row.split(separator: "\t")
            counts[String(cells[0])] = Counts(
                cases: try #require(Int(cells[1])), right: try #require(Int(cells[2])),
                refused: try #require(Int(cells[3])))
        }
        return counts
    }

    @Test func `announcements become the sensors and values that they describe`() throws {
        let folder = try #require(folder)
        let wanted = try Self.expectation()
        var found: [String: Counts] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where name.hasSuffix(".jsonl") {
            let project = String(name.dropLast(".jsonl".count))
            let lines = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            for line in lines.split(separator: "\n") {
                let json = try StrictJSON(maximumBytes: 1 << 20).parse(Array(line.utf8))
                found[project, default: Counts()].cases += 1
                switch Self.outcome(json) {
                case .failure(let refusal):
                    found[project, default: Counts()].refused += 1
                    print("\(project): refused: \(refusal)")
                case .success(let value):
                    if Self.isExpected(value, json["expected"]) {
                        found[project, default: Counts()].right += 1
                    } else {
                        print("\(project): \(String(describing: value)): \(line.prefix(600))")
                    }
                }
            }
        }
        #expect(!found.isEmpty, "no .jsonl is in \(folder)")
        for (project, counts) in found { #expect(wanted[project] == counts, "\(project)") }
    }

    private static func outcome(_ json: JSONValue) -> Result<Value?, any Error> {
        let input = TemplateInput(Array((json["message"]?.string ?? "").utf8))
        return Result {
            if let text = json["template"]?.string {
                return try input.flatMap(ValueTemplate(text).value)
            }
            let name = json["topic"]?.string ?? ""
            let topic = try #require(AnnouncementTopic(name, prefix: "homeassistant"), "\(name)")
            let message = MQTTMessage(
                topic: name, payload: Array((json["config"]?.string ?? "").utf8), isRetained: true)
            let sensor = try #require(AnnouncedSensor.sensors(message, topic).first)
            let announcement = try sensor.result.get()
            if case .unsupported(let reason) = announcement.template {
                throw TextError(text: reason)
            }
            guard let reader = announcement.reader,
                MQTTFilter(topic: announcement.topic).matches(json["stateTopic"]?.string ?? "")
            else { return nil }
            return input.flatMap(reader.template.value).flatMap(reader.rule.value)
        }
    }

    private struct TextError: Error {
        let text: String
    }

    private static func isExpected(_ value: Value?, _ expected: JSONValue?) -> Bool {
        guard let value else { return expected?.isNull != false }
        if let number = expected?.number {
            return value.double.map { abs($0 - number.double) <= 1e-9 * max(1, abs($0)) } == true
        }
        guard let text = expected?.string else { return false }
        return switch value {
        case .text(let own): own == text
        case .number(let number): Double(text) == number
        case .integer(let integer): "\(integer)" == text || Double(text) == Double(integer)
        }
    }
}
