import Foundation
import TestSupport
import Testing

/// Values that apps keep from one `nervous run` to the next.
@Suite(.blocking)
struct StoredValueTests {
    private static var manifest: [String: Any] {
        [
            "name": "demo", "version": "1", "privileges": [["storage": true]],
        ]
    }
    private static let counter = """
        localStorage.visits = Number(localStorage.visits ?? 0) + 1;
        (async () => {
          const before = await nervous.storage.get("runs") ?? 0;
          await nervous.storage.set("runs", before + 1);
          console.log(localStorage.visits, before + 1, (await nervous.storage.usage()).used);
        })();
        """

    @Test func `stored values are kept between runs, and removed by forget and uninstall`()
        throws
    {
        let sandbox = try Sandbox()
        let folder = try sandbox.app(Self.counter, manifest: Self.manifest)
        for number in 1...2 {
            let run = try sandbox.nervous("run", folder, "--allow", "storage")
            #expect(run.output == "\(number) \(number) 12\n", "\(run.errors)")
        }
        let receipt = try sandbox.nervous("forget", "--app", "demo", "--yes")
        #expect(receipt.output.contains("stored     12 B"), "\(receipt.output)")
        let again = try sandbox.nervous("run", folder, "--allow", "storage")
        #expect(again.output == "1 1 12\n")
        #expect(try sandbox.nervous("uninstall", "demo").code == 0)
        #expect(try sandbox.nervous("run", folder, "--allow", "storage").output == "1 1 12\n")
        #expect(try sandbox.nervous("doctor", "data", "databases").code == 0)
    }

    @Test func `the prompt describes storage and reports a missing reason`() throws {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal(
            "run", try sandbox.app(Self.counter, manifest: Self.manifest))
        try terminal.await("o/a/n/v/?> ")
        #expect(terminal.text.contains("to store data on this machine"))
        #expect(terminal.text.contains("it gives no reason"))
        terminal.type("a\n")
        #expect(try terminal.finish() == 0)
        #expect(terminal.text.contains("1 1 12"))
    }

    @Test(arguments: [
        ("a", ["was nothing", "is 1"], ["was 1", "is 1"]),
        ("", ["was nothing", "is 1", "localStorage is kept for this run only"], ["was nothing"]),
    ])
    func `a published app asks at its first use of localStorage, and continues either way`(
        key: String, first: [String], second: [String]
    ) throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path("Old-Demo-master")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let script = """
            console.log("was", localStorage.getItem("a") ?? "nothing");
            localStorage.setItem("a", "1");
            console.log("is", localStorage.a);
            """
        for (name, text) in [
            "package.json": #"{"name": "Old Demo", "version": "1"}"#, "axon.js": script,
            "axon.html": "<p>demo</p>",
        ] {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        let terminal = try sandbox.terminal("run", folder)
        try terminal.await("o/a/n/v/?> ")
        #expect(terminal.text.contains("old-demo"))
        terminal.type(key + "\n")
        #expect(try terminal.finish() == 0)
        for line in first { #expect(terminal.text.contains(line), "\(terminal.text)") }
        let next = try sandbox.nervous("run", "old-demo", "--no-prompt")
        for line in second { #expect(next.output.contains(line), "\(next.output)") }
    }
}
