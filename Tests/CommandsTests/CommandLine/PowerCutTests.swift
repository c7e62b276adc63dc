import Foundation
import TestSupport
import Testing

/// Hosts whose power is cut, and whose disk is full.
@Suite(
    .blocking, .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc"), "no cc"))
struct PowerCutTests {
    private let sandbox: Sandbox
    private let cut: PowerCut

    init() throws {
        sandbox = try Sandbox()
        cut = try PowerCut(sandbox)
    }

    private func token(_ name: String, _ privilege: String) throws -> String {
        let call = try sandbox.nervous("token", "create", name, "--allow", privilege)
        #expect(call.code == 0, "\(call.errors)")
        return call.output.trimmingCharacters(in: .newlines)
    }

    private func read(_ host: ServingHost, _ token: String) throws -> (status: Int, body: String) {
        try sandbox.curl(
            "-H", "Authorization: Bearer \(token)", host.url("/api/v1/sensors/load/latest"))
    }

    @Test func `only what was synced survives, and only under a name that was synced`() throws {
        let script = """
            echo a > named; echo b > whole; sync whole; sync .; echo c >> whole; echo d > late; sync late
            """
        let call = try Invocation(
            "/bin/sh", ["-c", script],
            environment: sandbox.environment.merging(cut.environment) { $1 },
            directory: sandbox.data)
        #expect(call.code == 0, "\(call.errors)")
        try cut.discardUnsynced()
        let files = try FileManager.default.contentsOfDirectory(atPath: sandbox.data).sorted()
        #expect(files == ["named", "whole"])
        let texts = try files.map {
            try String(contentsOfFile: "\(sandbox.data)/\($0)", encoding: .utf8)
        }
        #expect(texts == ["", "b\n"])
    }

    @Test func `a revocation before a power cut still applies after a restart`() throws {
        let host = try ServingHost(sandbox, environment: cut.environment)
        let reader = try token("reader", "sensor:load")
        let revoked = try token("revoked", "sensor:load")
        let writer = try token("writer", "storage")
        try waitUntil { try read(host, reader).status == 200 }
        #expect(try read(host, revoked).status == 200)
        let bearer = "Authorization: Bearer \(writer)"
        let value = "/api/v1/storage/colour"
        let put = try sandbox.curl(
            "-X", "PUT", "-H", bearer, "-H", "Content-Type: text/plain", "-d", "green",
            host.url(value))
        #expect((200..<300).contains(put.status), "\(put.body)")
        #expect(try sandbox.nervous("permissions", "deny", "reader", "sensor:load").code == 0)
        #expect(try sandbox.nervous("token", "revoke", "revoked").code == 0)
        host.kill(SIGKILL)
        _ = try host.wait()
        try cut.discardUnsynced()

        let again = try ServingHost(sandbox)
        let denied = try read(again, reader)
        #expect(denied.status == 403)
        #expect(denied.body.contains(#""code":"denied""#))
        #expect(try read(again, revoked).status == 401)
        let found = try sandbox.curl("-H", bearer, again.url(value))
        #expect(found.status == 200)
        #expect(found.body == "green")
        #expect(try sandbox.nervous("log", "--verify").code == 0)
        let log = try sandbox.nervous("log").output
        for word in ["denied", "token-revoked", "latest"] { #expect(log.contains(word)) }
    }

    @Test func `a published sample before a power cut is kept, however rarely samples are flushed`()
        throws
    {
        let host = try ServingHost(sandbox, ["--flush", "10m"], environment: cut.environment)
        #expect(try sandbox.nervous("sensors", "add", "door", "--field", "open:1").code == 0)
        let writer = try token("writer", "sensor:door:write")
        let samples = "/api/v1/sensors/door/samples"
        // The last one extends a row.
        for number in 1...3 {
            let answer = try sandbox.curl(
                "-H", "Authorization: Bearer \(writer)", "-H", "Content-Type: application/json",
                "--data-binary", #"{"open":\#(number)}"#, host.url(samples))
            #expect(answer.status == 201, "\(answer.body)")
        }
        host.kill(SIGKILL)
        _ = try host.wait()
        try cut.discardUnsynced()

        _ = try ServingHost(sandbox)
        let kept = try sandbox.nervous("query", "door", "--limit", "9", "--json").output
        for number in 1...3 { #expect(kept.contains(#""open":\#(number).0"#), "\(kept)") }
    }

    @Test func `on a full disk revocation works, and apps read nothing`() throws {
        let host = try ServingHost(sandbox, environment: cut.environment)
        let reader = try token("reader", "sensor:load")
        let revoked = try token("revoked", "sensor:load")
        let other = try token("other", "sensor:load")
        try waitUntil { try read(host, reader).status == 200 }
        try cut.fillDisk()
        let deny = try sandbox.nervous("permissions", "deny", "reader", "sensor:load")
        #expect(deny.code == 0, "\(deny.errors)")
        let denied = try read(host, reader)
        #expect(denied.status == 403, "\(denied.body)")
        let revoke = try sandbox.nervous("token", "revoke", "revoked")
        #expect(revoke.code == 0, "\(revoke.errors)")
        #expect(try read(host, revoked).status == 401)
        let refused = try read(host, other)
        #expect(refused.status == 503)
        #expect(refused.body.contains(#""code":"log-unavailable""#))
        for words in [["status"], ["permissions"], ["token", "list"], ["query", "load"]] {
            let call = try sandbox.nervous(words)
            #expect(call.code == 0, "\(words): \(call.errors)")
        }
        #expect(try sandbox.nervous("status", "--json").output.contains(#""failure":"#))
        try cut.freeDisk()
        try waitUntil { try read(host, other).status == 200 }
        host.kill(SIGKILL)
        _ = try host.wait()

        let again = try ServingHost(sandbox)
        #expect(try read(again, reader).status == 403)
        #expect(try read(again, revoked).status == 401)
        #expect(try read(again, other).status != 403)
        #expect(try sandbox.nervous("log", "--verify").code == 0)
    }
}
