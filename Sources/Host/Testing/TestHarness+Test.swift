import API
import AppRuns
import Foundation
import Provider

extension TestHarness {
    private struct Plan: Encodable {
        let index: Int
        let filter: String?

        private enum CodingKeys: CodingKey {
            case index, filter
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(index, forKey: .index)
            try container.encode(filter, forKey: .filter)
        }
    }

    /// One test of a file.
    init(of file: (name: String, source: String), index: Int, filter: String?) throws {
        let plan = String(
            decoding: try JSONEncoder.plain.encode(Plan(index: index, filter: filter)),
            as: UTF8.self)
        // On one line with the first of the file, so that lines count as its author sees them.
        let body =
            Self.isModule(file.source)
            ? file.source
            : "nervousTests(function (test, assert, app, sensors, clock, permissions) {"
                + file.source + "\n});"
        self.init(
            scripts: [
                RunScript(name: "nervous:test", source: "\(Provider.testLibrary)(\(plan));"),
                RunScript(name: file.name, source: body),
            ], starter: "\(TestBench.path)/start")
    }

    /// Whether a file imports something, and so cannot be the body of a function.
    private static func isModule(_ source: String) -> Bool {
        source.split(separator: "\n").contains { line in
            let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            guard let first = words.first, words.count > 1 else { return false }
            return !line.hasPrefix(" ") && (first == "import" || first == "export")
        }
    }
}
