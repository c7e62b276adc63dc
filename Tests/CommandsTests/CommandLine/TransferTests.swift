import Foundation
import TestSupport
import Testing

/// Export and import of samples with the built program.
@Suite(.blocking)
struct TransferTests {
    private static let count = 60_000

    private static func declare(_ sandbox: Sandbox, _ sensor: String) throws -> Invocation {
        try sandbox.nervous(
            "sensors", "add", sensor, "--field", "x:m/s2", "--field", "n:1:integer", "--field",
            "note::text")
    }

    /// A file whose texts contain characters that could end a row.
    private static func write(_ sandbox: Sandbox) throws -> String {
        let rows = (0..<count).map { row in
            "\(row).125,\(Double(row) / 8),\(row),\"line \(row)\n\"\"quoted\"\", and more\"\n"
        }
        let path = sandbox.path("in.csv")
        try ("t,x,n,note\n" + rows.joined()).write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private static func stored(_ sandbox: Sandbox, _ sensor: String) throws -> Int? {
        let query = try sandbox.nervous("query", sensor, "--stats", "count", "--json").output
        let answer = try JSONSerialization.jsonObject(with: Data(query.utf8)) as? [String: Any]
        return ((answer?["items"] as? [[String: Any]])?.first?["count"] as? Int)
    }

    @Test(arguments: [
        ["export", "cpu", "-o", "cpu.sqlite"], ["export", "cpu", "-o", "cpu.csv.gz"],
        ["sessions", "export", "x", "-o", "x.kml"],
    ])
    func `an unknown file extension is refused with a list of the known ones`(words: [String])
        throws
    {
        let call = try Sandbox().nervous(words)
        #expect(call.code == 64)
        #expect(call.errors.contains(words[0] == "export" ? ".ndjson" : ".gpx"))
        #expect(call.errors.contains("--format"))
    }

    @Test func `a file that cannot be written is named with the reason`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("query", "load").code == 0)
        let folder = "\(sandbox.root)/taken"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (path, reason) in [
            ("\(folder)/none/load.csv", "there is no folder \(folder)/none/."),
            ("\(folder)/load.csv", "it already exists."),
        ] {
            _ = FileManager.default.createFile(atPath: "\(folder)/load.csv", contents: nil)
            let call = try sandbox.nervous("export", "load", "-o", path)
            #expect(call.code == 73)
            #expect(call.errors.contains("Cannot write \(path): \(reason)"))
        }
    }

    @Test func `an import after its samples were forgotten stores and counts them again`()
        throws
    {
        let sandbox = try Sandbox()
        #expect(try Self.declare(sandbox, "walk").code == 0)
        let file = try Self.write(sandbox)
        func imported() throws -> String {
            let run = try sandbox.nervous("import", file, "--sensor", "walk")
            #expect(run.code == 0, "\(run.errors)")
            return run.output
        }
        #expect(try imported().contains("60000 samples stored, in 2 batches"))
        #expect(
            try imported().contains("0 samples stored, 60000 already stored by an earlier import"))
        #expect(try Self.stored(sandbox, "walk") == 60_000)
        #expect(try sandbox.nervous("forget", "walk", "--yes").code == 0)
        #expect(try Self.stored(sandbox, "walk") == 0)
        #expect(try imported().contains("60000 samples stored, in 2 batches"))
        #expect(try Self.stored(sandbox, "walk") == 60_000)
    }

    @Test(arguments: ["csv", "ndjson", "columns"])
    func `exported samples equal the imported ones`(form: String) throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        #expect(try Self.declare(sandbox, "walk").code == 0)
        #expect(try Self.declare(sandbox, "walk.again").code == 0)
        let first = try sandbox.nervous("import", try Self.write(sandbox), "--sensor", "walk")
        #expect(first.code == 0, "\(first.errors)")
        #expect(first.output.contains("60000 samples stored, in 2 batches"))
        let out = sandbox.path("out.\(form)")
        let export = try sandbox.nervous("export", "walk", "-o", out)
        #expect(export.code == 0, "\(export.errors)")
        #expect(export.output.contains("60000 samples"))
        let digest = try Invocation("/usr/bin/sha256sum", [out], environment: sandbox.environment)
        #expect(export.output.contains(digest.output.prefix(64)))
        let back = try sandbox.nervous("import", out, "--sensor", "walk.again")
        #expect(back.code == 0, "\(back.errors)")
        let again = sandbox.path("again.\(form)")
        #expect(try sandbox.nervous("export", "walk.again", "-o", again).code == 0)
        #expect(FileManager.default.contentsEqual(atPath: out, andPath: again))
        #expect(!FileManager.default.fileExists(atPath: out + ".part"))
        let piped = sandbox.path("piped.\(form)")
        let shell = try Invocation(
            "/bin/sh",
            [
                "-c", "exec \"$0\" export walk --format \(form) -o - > \"$1\"", Binary.nervous,
                piped,
            ],
            environment: sandbox.environment)
        #expect(shell.code == 0 && shell.errors.isEmpty, "\(shell.errors)")
        #expect(FileManager.default.contentsEqual(atPath: out, andPath: piped))
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `a pack of SenML has all pages of an export, and is imported as it was`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        for sensor in ["walk", "walk.again"] {
            #expect(try Self.declare(sandbox, sensor).code == 0)
        }
        let rows = (0..<25_000).map { row in
            "\(1_700_000_000_000 + row),\(Double(row) / 8),\(row),\"\"\"bt\"\":\(row)\"\n"
        }
        let path = sandbox.path("in.csv")
        try ("t,x,n,note\n" + rows.joined()).write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try sandbox.nervous("import", path, "--sensor", "walk").code == 0)
        let pack = sandbox.path("out.senml")
        let export = try sandbox.nervous("export", "walk", "-o", pack)
        #expect(export.code == 0 && export.output.contains("25000 samples"), "\(export.errors)")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: pack)))
        #expect((json as? [[String: Any]])?.count == 75_000)
        let back = try sandbox.nervous("import", pack, "--sensor", "walk.again")
        #expect(back.output.contains("25000 samples stored"), "\(back.errors)")
        let files = try ["walk", "walk.again"].map { sensor in
            let file = sandbox.path("\(sensor).csv")
            #expect(try sandbox.nervous("export", sensor, "-o", file).code == 0)
            return try String(contentsOfFile: file, encoding: .utf8)
        }
        #expect(files[0] == files[1])
        let piped = try sandbox.nervous("export", "walk", "--format", "senml", "-o", "-")
        #expect(try Data(contentsOf: URL(filePath: pack)) == Data(piped.output.utf8))
        let empty = try sandbox.nervous(
            "export", "walk", "--from", "2020-01-01", "--to", "2020-01-02", "-o",
            sandbox.path("empty.senml"))
        #expect(empty.code == 66 && empty.errors.contains("no empty packs"), "\(empty.errors)")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `a repeated import stores nothing twice`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        #expect(try Self.declare(sandbox, "walk").code == 0)
        let path = try Self.write(sandbox)
        let outputs = try (0..<2).map { _ in
            try sandbox.nervous("import", path, "--sensor", "walk").output
        }
        #expect(outputs[0].contains("\(Self.count) samples stored, in 2 batches"))
        #expect(
            outputs[1].contains(
                "0 samples stored, \(Self.count) already stored by an earlier import"))
        #expect(try Self.stored(sandbox, "walk") == Self.count)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `an interrupted export is resumed with the same result`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        #expect(try Self.declare(sandbox, "walk").code == 0)
        #expect(
            try sandbox.nervous("import", try Self.write(sandbox), "--sensor", "walk").code == 0)
        let (whole, broken) = (sandbox.path("whole.csv"), sandbox.path("broken.csv"))
        let words = ["export", "walk", "--to", "2020-01-01T00:00:00Z", "-o"]
        #expect(try sandbox.nervous(words + [whole]).code == 0)
        let bytes = try Data(contentsOf: URL(filePath: whole))
        // The state when the program is killed after its last checkpoint.
        let row = try #require(bytes.range(of: Data("\n29999.125,".utf8)))
        let note = """
            {"sensor":"walk","form":"text/csv","to":"2020-01-01T00:00:00Z","samples":30000,
             "bytes":\(try Self.end(of: row, in: bytes)),"cursor":"29999125_9000000000"}
            """
        try note.write(toFile: broken + ".part.json", atomically: true, encoding: .utf8)
        let part = bytes.prefix(try Self.end(of: row, in: bytes)) + Data("30000.125,37".utf8)
        try part.write(to: URL(filePath: broken + ".part"))
        let export = try sandbox.nervous(words + [broken])
        #expect(export.code == 0, "\(export.errors)")
        #expect(export.output.contains("60000 samples"))
        #expect(FileManager.default.contentsEqual(atPath: whole, andPath: broken))
        // Nothing is overwritten.
        #expect(try sandbox.nervous(words + [whole]).code == 73)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    private static func end(of row: Range<Int>, in bytes: Data) throws -> Int {
        let end = Data("and more\"\r\n".utf8)
        return try #require(bytes.range(of: end, in: row.upperBound..<bytes.count)).upperBound
    }

    @Test func `an invalid file is reported with the byte and the samples stored before`() throws {
        let sandbox = try Sandbox()
        #expect(try Self.declare(sandbox, "walk").code == 0)
        let path = sandbox.path("wrong.csv")
        try "x,n,note\n1,2,a\n1,two,b\n".write(toFile: path, atomically: true, encoding: .utf8)
        let call = try sandbox.nervous("import", path, "--sensor", "walk")
        #expect(call.code == 65)
        #expect(call.errors.contains("Line 3, field n: "))
        #expect(call.errors.contains("at byte 9; 0 samples before it"))
        #expect(try sandbox.nervous("import", path, "--sensor", "none").code == 66)
        #expect(try sandbox.nervous("import", sandbox.path("x.csv"), "--sensor", "walk").code == 66)
        #expect(try sandbox.nervous("import", path, "--sensor", "walk", "--format", "x").code == 64)
    }

    @Test func `a declared sensor survives restarts until it is removed`() throws {
        let sandbox = try Sandbox()
        #expect(try Self.declare(sandbox, "walk").code == 0)
        let sensor = try sandbox.nervous("sensors", "--json").output
        #expect(sensor.contains(#""id":"walk""#))
        #expect(sensor.contains(#""source":"published by clients""#))
        #expect(try sandbox.nervous("sensors", "remove", "walk").code == 0)
        #expect(try !sandbox.nervous("sensors", "--json").output.contains(#""id":"walk""#))
        #expect(try sandbox.nervous("sensors", "remove", "walk").code == 66)
        #expect(try sandbox.nervous("sensors", "add", "walk", "--field", "x:m:y").code == 64)
        #expect(try sandbox.nervous("sensors", "add", "cpu", "--field", "x").code == 1)
    }
}
