import API
import AppRuns
import Auth
import Foundation
import Provider
import Samples
import Text

/// How the tests of an app ended; the same tests give the same words.
struct TestOutcome: Encodable {
    struct File: Encodable {
        let file: String
        var tests: [Test] = []
    }

    struct Test: Encodable {
        let name: String
        /// `ok`, `failed` or `skipped`.
        let status: String
        let failure: TestReport.Failure?
        /// Of the test's own time.
        let milliseconds: Double
        /// What the app and the test wrote to the console.
        let console: [String]
    }

    let seed: UInt64
    /// The scenario or the trace.
    let sensors: String
    private(set) var files: [File] = []
    private(set) var ok = 0
    private(set) var failed = 0
    private(set) var skipped = 0

    init(seed: UInt64, sensors: String) {
        self.seed = seed
        self.sensors = sensors
    }

    var count: Int { ok + failed + skipped }

    mutating func begin(_ file: String) {
        files.append(File(file: file))
    }

    mutating func add(_ test: Test) {
        files[files.count - 1].tests.append(test)
        switch test.status {
        case "ok": ok += 1
        case "skipped": skipped += 1
        default: failed += 1
        }
    }

    /// One line about all.
    var summary: String {
        let counts = [(ok, "ok"), (failed, "failed"), (skipped, "skipped")]
            .filter { $0.0 > 0 || $0.1 == "ok" }.map { "\($0.0) \($0.1)" }
        let shown = sensors.escapedForDisplay(limit: 200)
        return
            "\(count == 1 ? "1 test" : "\(count) tests"): \(counts.joined(separator: ", ")) (\(shown), seed \(seed))"
    }
}

extension TestOutcome.Test {
    /// - Parameter limit: the most time that could pass, as it was given.
    /// - Returns: `nil` where there was no test and nothing went wrong.
    init?(_ ended: TestLab.Ended, limit: String) {
        console = ended.console.map(\.text)
        milliseconds = ended.report?.milliseconds ?? 0
        guard let report = ended.report else {
            // Its file could not be read so far that a test began.
            name = "(the file)"
            status = "failed"
            failure =
                ended.result.errors.first.map {
                    TestReport.Failure(message: $0.message, place: $0.place)
                }
                ?? TestReport.Failure(message: Self.reason(ended, limit) ?? "nothing was reported")
            return
        }
        guard let name = report.name, let status = report.status else {
            guard let error = ended.result.errors.first else { return nil }
            self.name = "(the file)"
            self.status = "failed"
            failure = TestReport.Failure(message: error.message, place: error.place)
            return
        }
        self.name = name
        guard status == "begun" else {
            self.status = status
            failure = report.failure
            return
        }
        self.status = "failed"
        failure = TestReport.Failure(message: Self.reason(ended, limit) ?? "it did not end")
    }

    /// Why a test got no further.
    private static func reason(_ ended: TestLab.Ended, _ limit: String) -> String? {
        guard let ending = ended.run.ending else { return nil }
        switch ending.name {
        case "finished":
            return "it did not end: it waits for what never comes, or for longer than \(limit)"
        case "budget-duration": return "it took more than a minute of this machine's time"
        default: return RunDescription(ended.run).complaint ?? ending.name
        }
    }

    /// What a person sees.
    var lines: [String] {
        let mark = status.padding(toLength: 8, withPad: " ", startingAt: 0)
        let span = Duration.milliseconds(milliseconds.rounded())
        let time = milliseconds >= 1 ? " (\(span.span))" : ""
        var lines = ["  \(mark)\(name.escapedForDisplay(limit: 200))\(time)"]
        guard let failure else { return lines }
        let place = failure.place.map { "\($0): " } ?? ""
        var told = [place + failure.message]
        if let at = failure.at, !at.isEmpty { told.append("they differ at \(at)") }
        if let expected = failure.expected { told.append("expected  \(expected)") }
        if let actual = failure.actual { told.append("actual    \(actual)") }
        if !console.isEmpty { told.append("console") }
        told += console.suffix(20).map { "  \($0)" }
        lines += told.flatMap { $0.split(separator: "\n") }.map {
            "          \(String($0).escapedForDisplay(limit: 1000))"
        }
        return lines
    }
}
