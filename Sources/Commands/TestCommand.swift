import AppLab
import ArgumentParser
import Auth
import Foundation
import Host
import JSApps
import API
import Samples
import Simulation
import Text

/// Runs the tests of an app, in a time of their own.
struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run the tests of an app: its sensors are simulated, and nothing waits.",
        discussion: """
            Each test of each *.test.js has a process, a clock and sensors of its own. Time passes
            when the app has nothing to do, so a minute takes milliseconds, and the same seed gives
            the same output. The app is confined as always and may use what it declares.

            Examples:
              nervous test
              nervous test ./my-app --filter battery
              nervous test ./my-app --scenario walk --seed 7
              nervous test ./my-app --replay walk.trace
            The exit code is 1 when a test fails. How to write one: docs/testing-a-jsapp.md
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's folder; this one otherwise.", completion: .directory)
    var folder = "."

    @Option(help: ArgumentHelp("Only tests whose name holds this text.", valueName: "text"))
    var filter: String?

    @Option(help: "What the sensors show: \(TestCommand.scenarios).")
    var scenario: String?

    @Option(help: ArgumentHelp("Another number gives other noise.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp("Sense this trace instead; see: nervous record.", valueName: "file"),
        completion: .file())
    var replay: String?

    @Option(help: ArgumentHelp("The most time that may pass in a test.", valueName: "span"))
    var limit = "1d"

    static let scenarios = Scenario.Kind.allCases.map(\.rawValue).joined(separator: ", ")

    func validate() throws {
        if let scenario, Scenario.Kind(rawValue: scenario) == nil {
            throw ValidationError(
                "There is no scenario \(scenario): choose one of \(Self.scenarios).")
        }
        guard scenario == nil || replay == nil else {
            throw ValidationError("--scenario and --replay both say what sensors show: give one.")
        }
        guard let span = Duration(span: limit),
            (.seconds(1)...(.seconds(40 * 86_400))).contains(span)
        else { throw ValidationError("--limit takes a span from 1s to 40d.") }
    }

    func run() async throws {
        let files = try testFiles()
        var settings = TestLab.Settings()
        settings.seed = seed
        settings.filter = filter
        settings.limit = Duration(span: limit) ?? settings.limit
        if let replay { settings.sensors = .recorded(try Trace(file: replay)) }
        if let kind = scenario.flatMap({ Scenario.Kind(rawValue: $0) }) {
            settings.sensors = .simulated(kind)
        }
        let shown = settings
        let outcome = try await TestLab.with(folder, options.host) { lab in
            var outcome = TestOutcome(
                seed: seed, sensors: replay ?? scenario ?? Scenario.Kind.room.rawValue)
            for file in files {
                outcome.begin(file.name)
                if !options.json { options.console.print(file.name) }
                var index = 0
                var total = 1
                while index < total {
                    let ended = try await lab.run(index, of: file, shown)
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
                filter.map { "No test has ‘\($0.escapedForDisplay(limit: 80))’ in its name." }
                    ?? "There is no test in the *.test.js of the app.",
                hint: "A test is: test(\"what holds\", async () => { … })", type: "no-tests")
        }
        if options.json {
            try options.console.print(encoding: outcome)
        } else {
            options.console.print(outcome.summary)
        }
        if outcome.failed > 0 { throw ExitCode(1) }
    }

    /// The files of tests in the app's folder, by name.
    private func testFiles() throws -> [(name: String, source: String)] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
            isFolder.boolValue
        else {
            throw CommandFailure(
                .noInput, "There is no folder \(folder.escapedForDisplay(limit: 200)).",
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
                .noInput, "There is no *.test.js in \(folder.escapedForDisplay(limit: 200)).",
                hint: "See docs/testing-a-jsapp.md, or begin with: nervous new NAME",
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
        default: return ended.run.complaint ?? ending.name
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
