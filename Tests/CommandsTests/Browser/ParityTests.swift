import Foundation
import TestSupport
import Testing

/// Nervousnet apps show the same in a browser and in a headless run.
@Suite(.blocking, .serialized) struct ParityTests {
    private struct Event: Decodable {
        let event: String
        let text: String?
        let level: String?
    }

    /// The visible text, without empty lines and surrounding spaces.
    private static func plain(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The texts and errors of a headless run, which is interrupted once it has shown all that is expected.
    private static func headless(
        _ name: String, _ sandbox: Sandbox, until text: String, errors expected: [String]
    ) throws -> (views: [String], errors: String) {
        let file = sandbox.path("\(name).ndjson")
        let run = try Program(
            Binary.nervous, ["run", name, "--view", "--json"], environment: sandbox.environment,
            output: .file(file))
        var (views, errors): ([String], String) = ([], "")
        try waitUntil {
            let events = try String(contentsOfFile: file, encoding: .utf8)
                .split(separator: "\n").compactMap {
                    // The last line can be incomplete.
                    try? JSONDecoder().decode(Event.self, from: Data($0.utf8))
                }
            views = events.filter { $0.event == "view" }.compactMap { $0.text.map(plain) }
            errors = events.filter { $0.event == "uncaught" || $0.level == "error" }
                .compactMap(\.text).joined(separator: "\n")
            return views.last == text && expected.allSatisfy(errors.contains)
        }
        run.signal(SIGINT)
        _ = try run.wait()
        return (views, errors)
    }

    /// The apps, their privileges, and a part of each line that they write to the console as an
    /// error.
    static let apps: [(name: String, privileges: [String], errors: [String])] = [
        ("every-thing", ["sensor:accelerometer", "identity"], ["cdn.example.org/plotly"]),
        ("broken", [], ["SyntaxError"]), ("hello-world", ["sensor:gyroscope"], []),
        ("click-me-again", [], ["cdn.example.org/moment"]), ("type-error", [], ["TypeError"]),
    ]

    @Test func `each app shows the same text in a browser and in a headless run`() async throws {
        let folders = [
            "Everything-Axon-master", "Broken-master", "type-error-main", "hello-world-master",
            "Clicks-main",
        ]
        let host = try PublishedHost(folders)
        for (name, privileges, _) in Self.apps {
            for privilege in privileges { try host.allow(name, privilege) }
        }
        // All run concurrently, while the browser shows them.
        let sandbox = host.sandbox
        async let runs = withThrowingTaskGroup { group in
            for (name, _, errors) in Self.apps {
                let text = try #require(PublishedPageTests.texts.first { $0.name == name }).text
                group.addTask {
                    (name, try Self.headless(name, sandbox, until: text, errors: errors))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let browser = try Browser(host.sandbox)
        var seen: [String: (text: String, console: String)] = [:]
        for (name, _, _) in Self.apps {
            let expected = try #require(PublishedPageTests.texts.first { $0.name == name })
            try browser.open(try host.link(name))
            try browser.wait(until: expected.end)
            let shown = try browser.text
            #expect(shown == expected.text, "\(name)")
            seen[name] = (shown, try browser.console.joined(separator: "\n"))
        }
        let headless = try await runs
        for (name, _, errors) in Self.apps {
            let (shown, console) = try #require(seen[name])
            let (views, headlessErrors) = try #require(headless[name])
            #expect(views.last == shown, "\(name): \(headlessErrors)")
            for error in errors {
                #expect(console.contains(error), "\(name): \(console)")
                #expect(headlessErrors.contains(error), "\(name): \(headlessErrors)")
            }
            if errors.isEmpty {
                #expect(console.isEmpty && headlessErrors.isEmpty, "\(console) \(headlessErrors)")
            }
        }
    }

    /// An app that calls again and again for a denied, a missing, a misspelt and a readable sensor.
    private static let caller = [
        "package.json": #"{"name": "caller", "version": "1.0.0"}"#,
        "axon.html": """
        <script src="/nervousnet-axon-resources/libs.js"></script>
        <script src="axon.js"></script>
        """,
        "axon.js": """
        const raw = "http://localhost:8080/nervousnet-api/raw-sensor-data/";
        for (const name of ["Gyroscope", "GPS", "Camera", "Gyroscope", "GPS", "Camera", "Accelerometer"]) {
            const call = new XMLHttpRequest();
            call.open("GET", raw + name, false);
            call.send();
        }
        fetch(raw + "Gyroscope").then((answer) => answer.json()).then((problem) => {
            console.log(problem.code);
        });
        """,
    ]

    @Test func `a sensor that a published app cannot read leaves one line on its console`() throws {
        let host = try PublishedHost()
        let folder = host.sandbox.path("caller")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for (name, text) in Self.caller {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        let made = try host.sandbox.nervous("install", folder)
        #expect(made.code == 0, "\(made.errors)")
        try host.deny("caller", "sensor:gyroscope")
        try host.allow("caller", "sensor:accelerometer", "sensor:location")
        let run = try host.sandbox.nervous("run", "caller", "--json", "--for", "20s")
        let texts = try run.output.split(separator: "\n").compactMap {
            try JSONDecoder().decode(Event.self, from: Data($0.utf8)).text
        }
        let calls = texts.filter { $0.hasPrefix("The call for ") }
        #expect(calls.count == 3, "\(run.output) \(run.errors)")
        for (call, name) in zip(calls, ["Gyroscope", "GPS", "Camera"]) {
            #expect(call.hasPrefix("The call for \(name) failed: "), "\(call)")
        }
        #expect(
            calls.first?.contains("Ask the owner to allow sensor:gyroscope.") == true,
            "\(calls)")
        #expect(texts.contains("denied"), "\(texts)")
    }

    /// The bytes of a file of an app are equal in a page, in a headless run and in the
    /// package.
    @Test(arguments: [
        ("Clicks-main", "click-me-again", "noise.bin"),
        ("Everything-Axon-master", "every-thing", "picture.png"),
    ])
    func `a file of an app is served byte for byte`(
        folder: String, name: String, file: String
    ) throws {
        let host = try PublishedHost([folder])
        let path = host.sandbox.path("served")
        let call = try host.sandbox.curl(
            "-o", path, "-D", host.sandbox.path("head"), "--resolve",
            "\(name).localhost:\(host.host.port):127.0.0.1",
            host.host.url("/\(file)", host: "\(name).localhost"))
        #expect(call.status == 200)
        let original = try Data(
            contentsOf: URL(filePath: "\(PublishedHost.folder)/\(folder)/\(file)"))
        #expect(try Data(contentsOf: URL(filePath: path)) == original)
    }
}
