import Foundation
import TestSupport
import Testing

/// `nervous batch`: its forms of input, its output and its exit code.
@Suite(.blocking)
struct BatchTests {
    private static func batch(
        _ text: String, _ options: [String] = [], in sandbox: Sandbox
    ) throws -> Invocation {
        let file = sandbox.path("calls")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try sandbox.nervous(["batch", file] + options)
    }

    @Test(arguments: [
        "/api/v1/status\nGET /api/v1/sensors/cpu\n",
        #"[{"path": "/api/v1/status"}, {"method": "GET", "path": "/api/v1/sensors/cpu"}]"#,
        #"{"calls": [{"path": "/api/v1/status"}, {"path": "/api/v1/sensors/cpu"}]}"#,
    ])
    func `each form of input gives the answers in the order of the calls`(text: String) throws {
        let sandbox = try Sandbox()
        let shown = try Self.batch(text, in: sandbox)
        #expect(shown.code == 0, "\(shown.errors)")
        let lines = shown.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first == "GET /api/v1/status: 200")
        #expect(lines.dropFirst(2).first == "GET /api/v1/sensors/cpu: 200")
        #expect(
            lines.last?.hasPrefix(#"{"#) == true && lines.last?.contains(#""id":"cpu""#) == true)
        let json = try Self.batch(text, ["--json"], in: sandbox)
        let reply = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
        let items = (reply as? [String: Any])?["items"] as? [[String: Any]]
        #expect(items?.compactMap { $0["status"] as? Int } == [200, 200])
    }

    @Test func `a failed call is reported among the others, and the exit code is 1`() throws {
        let sandbox = try Sandbox()
        let run = try Self.batch(
            "/api/v1/sensors/none\nPUT /api/v1/collection/cpu\n/api/v1/status", in: sandbox)
        #expect(run.code == 1)
        #expect(run.output.contains("GET /api/v1/sensors/none: 404\n"))
        #expect(run.output.contains("GET /api/v1/status: 200\n"))
        #expect(run.errors.contains("2 of 3 calls failed."))
    }

    @Test(arguments: [
        ("", 65, "no calls"), ("{}", 65, "no calls"), ("[}", 65, "1:2"),
        ("cpu", 65, "calls[0]"), ("/api/v1/batch", 65, "cannot contain a batch"),
        ("FETCH /api/v1/status", 65, "method is one of"),
    ])
    func `invalid calls are refused`(text: String, code: Int32, message: String) throws {
        let run = try Self.batch(text, in: try Sandbox())
        #expect(run.code == code, "\(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test func `calls come from standard input, and a missing file is an error`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("batch", sandbox.path("none")).code == 66)
        let run = try Invocation(
            "/bin/sh", ["-c", "echo /api/v1/status | \(Binary.nervous) batch -"],
            environment: sandbox.environment)
        #expect(run.code == 0 && run.output.contains("/api/v1/status: 200"), "\(run.errors)")
    }
}
