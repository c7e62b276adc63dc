import Foundation
import Testing

@testable import AppRuns

struct BackgroundRunListTests {
    private static func entry(_ run: String, _ app: String) -> BackgroundRunList.Entry {
        BackgroundRunList.Entry(run: run, app: app, identity: "identity of \(app)")
    }

    @Test func `runs that were added and not removed are listed after a restart`() throws {
        let folder = try TemporaryFolder()
        var list = BackgroundRunList(folder: folder.url.appending(path: "runs"))
        for (run, app) in [("1", "a"), ("2", "b"), ("3", "a"), ("4", "c")] {
            try list.add(Self.entry(run, app))
        }
        try list.remove("2")
        try list.remove("none")
        try list.remove(app: "c")
        let again = BackgroundRunList(folder: folder.url.appending(path: "runs"))
        #expect(again.entries == [Self.entry("1", "a"), Self.entry("3", "a")])
        #expect(again.entries == list.entries)
    }

    @Test(arguments: ["", "{", "[]", #"{"version":2,"runs":[]}"#, #"{"version":1}"#])
    func `an unreadable file counts as empty and is replaced`(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("background.runs.json", text)
        var list = BackgroundRunList(folder: folder.url)
        #expect(list.entries.isEmpty)
        try list.add(Self.entry("1", "a"))
        #expect(BackgroundRunList(folder: folder.url).entries == [Self.entry("1", "a")])
    }

    @Test func `an entry that cannot be written is an error, and is kept in memory`()
        throws
    {
        let folder = try TemporaryFolder()
        try folder.write("file", "")
        var list = BackgroundRunList(folder: folder.url.appending(path: "file/runs"))
        let error = #expect(throws: AppRunsError.self) { try list.add(Self.entry("1", "a")) }
        #expect(error?.code == .io)
        #expect(list.entries.count == 1)
    }
}
