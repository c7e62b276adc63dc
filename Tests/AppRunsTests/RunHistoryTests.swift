import Foundation
import Testing

@testable import AppRuns

struct RunHistoryTests {
    private static func run(_ number: Int, of app: String = "demo") -> RunReport {
        RunReport(
            id: "run-\(number)", app: app, isForeground: true,
            started: Date(timeIntervalSince1970: Double(number)))
    }

    @Test func `the last twenty runs of each app are kept, newest first`() throws {
        let folder = try TemporaryFolder()
        let history = RunHistory(folder: folder.url.appending(path: "runs"))
        for number in 1...25 { try history.add(Self.run(number)) }
        try history.add(Self.run(99, of: "other"))
        #expect(history.runs(of: "demo").map(\.id) == (6...25).reversed().map { "run-\($0)" })
        #expect(history.runs(of: "other").map(\.id) == ["run-99"])
        history.forget("demo")
        #expect(history.runs(of: "demo").isEmpty)
        #expect(history.runs(of: "other").count == 1)
    }

    @Test(arguments: ["", "{", "[1]", "null", #"[{"id":1}]"#])
    func `an unreadable file counts as empty and is replaced`(text: String) throws {
        let folder = try TemporaryFolder()
        let history = RunHistory(folder: folder.url)
        try folder.write("demo.json", text)
        #expect(history.runs(of: "demo").isEmpty)
        try history.add(Self.run(1))
        #expect(history.runs(of: "demo").map(\.id) == ["run-1"])
    }

    @Test func `the names in the file do not change`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "demo.json",
            #"""
            [{"id": "a", "app": "demo", "isWatched": false, "state": "ended", "started": 0,
            "restarts": 2, "hasGivenUp": true,
            "usage": {"cpu": [0, 5], "memory": 1, "calls": 2, "samples": 3, "logged": 4}}]
            """#)
        let run = try #require(RunHistory(folder: folder.url).runs(of: "demo").first)
        #expect(!run.isForeground && run.state == .ended && run.restarts == 2 && run.hasGivenUp)
        #expect(run.usage.cpu > .zero && run.usage.logged == 4)
    }

    @Test func `a folder that cannot be created causes an error that names the app`() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "")
        let history = RunHistory(folder: folder.url.appending(path: "file/runs"))
        let error = #expect(throws: AppRunsError.self) { try history.add(Self.run(1)) }
        #expect(error?.code == .io)
        #expect(error?.message.contains("demo") == true)
    }
}
