import API
import AppLab
import AppRuns
import ArgumentParser
import Auth
import Foundation
import Host
import JSApps
import Samples
import Simulation
import Text

/// Runs the tests of an app in virtual time.
struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run the tests of an app with simulated sensors, in virtual time.",
        discussion: """
            Each test in a *.test.js file has its own process, clock and sensors. Time
            advances only when the app is idle, so a minute takes milliseconds, and the
            same seed gives the same output. The app is confined as usual, and all declared
            privileges are granted, except calls to servers and what the policy blocks.

            Examples:
              nervous test
              nervous test ./my-app --filter battery
              nervous test ./my-app --scenario walk --seed 7
              nervous test ./my-app --sensor accelerometer.phone
              nervous test ./my-app --replay walk.trace
            The exit code is 1 if a test fails. See docs/testing-a-jsapp.md.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's folder; by default the current one.", completion: .directory)
    var folder = "."

    @Option(help: ArgumentHelp("Only tests whose name contains this text.", valueName: "text"))
    var filter: String?

    @OptionGroup var simulation: SimulationOptions

    @Option(
        help: ArgumentHelp("Replay this trace instead; see: nervous record.", valueName: "file"),
        completion: .file())
    var replay: String?

    @Option(help: ArgumentHelp("The maximum virtual time of a test.", valueName: "duration"))
    var limit = "1d"

    func validate() throws {
        guard simulation.scenario == nil || replay == nil else {
            throw ValidationError("--scenario and --replay cannot be combined.")
        }
        guard simulation.sensors.isEmpty || replay == nil else {
            throw ValidationError("--sensor and --replay cannot be combined.")
        }
        guard let span = Duration(span: limit),
            (.seconds(1)...(.seconds(40 * 86_400))).contains(span)
        else { throw ValidationError("--limit takes a duration from 1s to 40d.") }
    }

    func run() async throws {
        let files = try testFiles()
        var settings = try simulation.settings
        settings.filter = filter
        settings.limit = Duration(span: limit) ?? settings.limit
        if let replay { settings.sensors = .recorded(try Trace(file: replay)) }
        let shown = settings
        let sensors = try replay ?? simulation.kind.rawValue
        let outcome = try await AppTester.with(folder, options.host) { tester in
            var outcome = TestOutcome(seed: shown.seed, sensors: sensors)
            for file in files {
                outcome.begin(file.name)
                if !options.json { options.console.print(file.name) }
                var index = 0
                var total = 1
                while index < total {
                    let ended = try await tester.run(index, of: file, shown)
                    let test = TestOutcome.Test(ended, limit: limit)
                    total = ended.report?.total ?? total
                    if let test {
                        outcome.add(test)
                        if !options.json { test.lines.forEach(options.console.print) }
                    }
                    index += 1
                }
            }
            return outcome
        }
        guard outcome.count > 0 else {
            throw CommandFailure(
                .noInput,
                filter.map { "No test name contains “\($0.escapedForDisplay(limit: 80))”." }
                    ?? "The *.test.js files of the app contain no tests.",
                hint: "A test is: test(\"what holds\", async () => { … })", type: "no-tests")
        }
        if options.json {
            try options.console.print(encoding: outcome)
        } else {
            options.console.print(outcome.summary)
        }
        if outcome.failed > 0 { throw ExitCode(1) }
    }

    /// The test files in the app's folder, sorted by name.
    private func testFiles() throws -> [(name: String, source: String)] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
            isFolder.boolValue
        else {
            throw CommandFailure(
                .noInput, "No folder \(folder.escapedForDisplay(limit: 200)).",
                hint: "Give the folder of an app, such as ./my-app.", type: "input-missing")
        }
        let root = URL(filePath: folder).standardizedFileURL.path(percentEncoded: false)
        let names = (FileManager.default.enumerator(atPath: root)?.allObjects ?? [])
            .compactMap { $0 as? String }
            .filter { name in
                name.hasSuffix(".test.js")
                    && !name.split(separator: "/").contains { $0.hasPrefix(".") }
            }
            .sorted()
        guard !names.isEmpty else {
            throw CommandFailure(
                .noInput, "No *.test.js files in \(folder.escapedForDisplay(limit: 200)).",
                hint: "See docs/testing-a-jsapp.md, or start with: nervous new NAME",
                type: "no-tests")
        }
        return try names.map { name in
            let path = root + (root.hasSuffix("/") ? "" : "/") + name
            guard let source = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw CommandFailure(.badData, "\(name) is not UTF-8, or cannot be read.")
            }
            return (name, source)
        }
    }
}

/// The outcome of an app's tests; equal runs give equal text.
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
        /// Virtual time.
        let milliseconds: Double
        /// The console output of the app and the test.
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

    /// The totals in one line.
    var summary: String {
        let counts = [(ok, "ok"), (failed, "failed"), (skipped, "skipped")]
            .filter { $0.0 > 0 || $0.1 == "ok" }.map { "\($0.0) \($0.1)" }
        let shown = sensors.escapedForDisplay(limit: 200)
        return
            "\(count == 1 ? "1 test" : "\(count) tests"): \(counts.joined(separator: ", ")) (\(shown), seed \(seed))"
    }
}

extension TestOutcome.Test {
    /// - Parameter limit: the value of `--limit`.
    /// - Returns: `nil` if there was no test and no error.
    init?(_ ended: AppTester.Outcome, limit: String) {
        console = ended.console.map(\.text)
        milliseconds = ended.report?.milliseconds ?? 0
        guard let report = ended.report else {
            // The file failed before a test started.
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

    /// Why a test did not end.
    private static func reason(_ ended: AppTester.Outcome, _ limit: String) -> String? {
        guard let ending = ended.run.ending else { return nil }
        switch ending.name {
        case "finished":
            return "it did not end: it waits forever, or for longer than \(limit)"
        case "budget-duration": return "it exceeded its limit of real time, at most 5 minutes"
        default: return ended.run.failureMessage ?? ending.name
        }
    }

    /// The outcome as text.
    var lines: [String] {
        let mark = status.padding(toLength: 8, withPad: " ", startingAt: 0)
        let span = Duration.milliseconds(milliseconds.rounded())
        let time = milliseconds >= 1 ? " (\(span.span))" : ""
        var lines = ["  \(mark)\(name.escapedForDisplay(limit: 200))\(time)"]
        guard let failure else { return lines }
        let place = failure.place.map { "\($0): " } ?? ""
        var details = [place + failure.message]
        if let at = failure.at, !at.isEmpty { details.append("they differ at \(at)") }
        if let expected = failure.expected { details.append("expected  \(expected)") }
        if let actual = failure.actual { details.append("actual    \(actual)") }
        if !console.isEmpty { details.append("console") }
        details += console.suffix(20).map { "  \($0)" }
        lines += details.flatMap { $0.split(separator: "\n") }.map {
            "          \(String($0).escapedForDisplay(limit: 1000))"
        }
        return lines
    }
}
