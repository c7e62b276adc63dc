import Foundation
import TestSupport
import Testing

/// Creating a new app.
@Suite(.blocking)
struct NewTests {
    private let names = [
        "app.html", "app.js", "app.test.js", "nervous-test.d.ts", "nervous.d.ts", "package.json",
        "page.js",
    ]

    @Test func `a new app runs immediately`() throws {
        let sandbox = try Sandbox()
        let made = try sandbox.nervous("new", "memory-meter", "--in", sandbox.root)
        #expect(made.code == 0, "\(made.errors)")
        let folder = sandbox.path("memory-meter")
        #expect(made.output.contains(folder))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.sorted() == names)
        let run = try sandbox.nervous("run", folder, "--allow-all", "--for", "5s")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains(" % of the memory is in use"))
    }

    @Test func `a new app is a valid package with its name and title`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("new", "a1-b-2c", "--in", sandbox.root).code == 0)
        let packed = try sandbox.nervous(
            "pack", sandbox.path("a1-b-2c"), "--output", sandbox.path("x.zip"))
        #expect(packed.code == 0, "\(packed.errors)")
        for name in names {
            let text = try String(contentsOfFile: sandbox.path("a1-b-2c/\(name)"), encoding: .utf8)
            #expect(!text.contains("APP-"), "\(name)")
        }
        let page = try String(contentsOfFile: sandbox.path("a1-b-2c/app.html"), encoding: .utf8)
        #expect(page.contains("<title>A1 b 2c</title>"))
    }

    @Test func `JSON describes the new folder`() throws {
        let sandbox = try Sandbox()
        let made = try sandbox.nervous("new", "x", "--in", sandbox.root, "--json")
        #expect(made.errors.isEmpty)
        let answer =
            try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: Any]
        #expect(answer?["app"] as? String == "x")
        #expect(answer?["files"] as? [String] == names)
        #expect(answer?["folder"] as? String == sandbox.path("x"))
    }

    @Test(arguments: [
        "", "Meter", "two words", "-a", "a-", "a--b", "a_b", "a/b", "../a", ".", "café",
        String(repeating: "a", count: 65),
    ])
    func `an invalid app name is rejected`(name: String) throws {
        let sandbox = try Sandbox()
        let made = try sandbox.nervous("new", "--in", sandbox.root, "--", name)
        #expect(made.code == 64)
        #expect(made.errors.contains("error: ") && made.errors.contains("hint: "))
        let left = try FileManager.default.contentsOfDirectory(atPath: sandbox.root)
        #expect(left.sorted() == ["home", "run"])
    }

    @Test(arguments: ["folder", "file", "link"])
    func `an existing folder is left unchanged`(kind: String) throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("taken")
        switch kind {
        case "folder": mkdir(path, 0o700)
        case "file": try Data("mine".utf8).write(to: URL(filePath: path))
        default: symlink("/nowhere", path)
        }
        let made = try sandbox.nervous("new", "taken", "--in", sandbox.root)
        #expect(made.code == 1)
        #expect(made.errors.contains("‘taken’ already exists."))
        let left = try FileManager.default.contentsOfDirectory(atPath: sandbox.root)
        #expect(left.sorted() == ["home", "run", "taken"])
        if kind == "folder" {
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        }
    }

    @Test func `a missing parent folder is reported`() throws {
        let sandbox = try Sandbox()
        let made = try sandbox.nervous("new", "x", "--in", sandbox.path("nowhere"))
        #expect(made.code == 66)
        #expect(made.errors.contains("hint: "))
    }

    @Test func `a failed write leaves no incomplete folder`() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path("full")
        mkdir(folder, 0o700)
        // Every write to a file fails, as on a full disk.
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" new x --in \"$1\""
        let made = try Invocation(
            "/bin/sh", ["-c", script, Binary.nervous, folder], environment: sandbox.environment)
        #expect(made.code == 74)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
}
