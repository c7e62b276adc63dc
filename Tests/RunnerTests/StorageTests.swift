import Foundation
import RunnerProtocol
import Synchronization
import TestSupport
import Testing

/// `localStorage` with a host that the test simulates.
@Suite(.blocking)
struct StorageTests {
    /// Records the requests of the runner, and answers them.
    private final class FakeHost: Sendable {
        private let state: Mutex<(calls: [String], answers: [(UInt16, String)])>

        init(_ answers: [(UInt16, String)]) {
            state = Mutex((calls: [], answers: answers))
        }

        var calls: [String] { state.withLock { $0.calls } }

        func answer(_ frame: RunnerFrame, _ runner: RunnerProcess) throws {
            guard case .request(let id, let method, let target, _, let body) = frame else { return }
            let answer = state.withLock { state -> (UInt16, String) in
                state.calls.append(
                    "\(method) \(target) \(String(decoding: body, as: UTF8.self))"
                        .trimmingCharacters(in: .whitespaces))
                return state.answers.isEmpty ? (500, "") : state.answers.removeFirst()
            }
            let bytes = Array(answer.1.utf8)
            let pieces = stride(from: 0, to: bytes.count, by: FrameLimits.bodyPiece).map { start in
                HostFrame.body(
                    id: id,
                    bytes: Array(bytes[start..<min(bytes.count, start + FrameLimits.bodyPiece)]))
            }
            let frames =
                [.response(id: id, status: answer.0, headers: [])] + pieces + [.end(id: id)]
            try runner.send(bytes: frames.flatMap { $0.encoded() })
        }
    }

    private static let address = "/api/v1/local-storage"
    private static let empty = #"{"items": [], "used": 0, "limit": 1000}"#
    private static let usage = #"{"used": 10, "limit": 1000}"#

    private func run(
        _ source: String, _ answers: [(UInt16, String)]
    ) throws -> (lines: [String], calls: [String], run: RunOfApp) {
        let host = FakeHost(answers)
        let run = try RunOfApp(source) { try host.answer($0, $1) }
        return (run.lines, host.calls, run)
    }

    @Test func `localStorage is loaded once, at first use`() throws {
        #expect(try run("sessionStorage.a = 1", []).calls.isEmpty)
        let read = "for (let i = 0; i < 5; i++) console.log(localStorage.getItem('a'))"
        let items = #"{"items": [["a", "x"]], "used": 2, "limit": 1000}"#
        let result = try run(read, [(200, items)])
        #expect(result.calls == ["GET \(Self.address)"])
        #expect(result.lines == [String](repeating: "x", count: 5))
    }

    @Test func `the changes of a turn are one call, with the last value of each key`() throws {
        let result = try run(
            """
            localStorage.a = 1; localStorage.b = 2; localStorage.a = 3; delete localStorage.b;
            Promise.resolve().then(() => { localStorage.c = 4; });
            setTimeout(() => { localStorage.clear(); localStorage.d = 5; }, 1);
            """,
            [
                (200, Self.empty), (200, Self.usage), (200, Self.usage), (200, Self.usage),
                (200, Self.usage),
            ])
        #expect(
            result.calls == [
                "GET \(Self.address)", #"PATCH \#(Self.address) [["a","3"],["b",null]]"#,
                #"PATCH \#(Self.address) [["c","4"]]"#, "DELETE \(Self.address)",
                #"PATCH \#(Self.address) [["d","5"]]"#,
            ])
        #expect(result.lines.isEmpty)
    }

    @Test func `changed built-ins do not affect the sent changes`() throws {
        let result = try run(
            """
            Array.prototype.toJSON = String.prototype.toJSON = () => "spoilt";
            JSON.stringify = JSON.parse = Array.prototype.join = Map.prototype.get = () => { throw 1 };
            Object.defineProperty(Array.prototype, 0, { set() { throw 1 } });
            localStorage.setItem("a", "b");
            """, [(200, Self.empty), (200, Self.usage)])
        #expect(result.calls.last == #"PATCH \#(Self.address) [["a","b"]]"#)
        #expect(result.run.errors.isEmpty)
    }

    @Test
    func `large changes are split into several calls, and a value above the limit is rejected`()
        throws
    {
        let wide = #"{"items": [], "used": 0, "limit": 10000000}"#
        let many = #"{"used": 0, "limit": 10000000}"#
        let result = try run(
            """
            for (const key of "abc") localStorage.setItem(key, key.repeat(500000));
            try { localStorage.setItem("d", '"'.repeat(600000)); } catch (e) { console.log(e.name); }
            try { localStorage.setItem("k".repeat(1025), ""); } catch (e) { console.log(e.name); }
            console.log(localStorage.length);
            """, [(200, wide), (200, many), (200, many)])
        #expect(result.lines == ["QuotaExceededError", "QuotaExceededError", "3"])
        let sizes = result.calls.dropFirst().map(\.utf8.count)
        #expect(sizes.count == 2)
        #expect(sizes.allSatisfy { $0 < FrameLimits.body + 100 })
    }

    @Test func `the limit is the one that the host last reported`() throws {
        let result = try run(
            """
            const fill = (key, count) => {
              try { localStorage.setItem(key, "x".repeat(count)); console.log(key); }
              catch (e) { console.log(e.name, e instanceof DOMException); }
            };
            fill("a", 989); fill("b", 1000); fill("a", 990); fill("\u{e9}", 0);
            """,
            [
                (200, #"{"items": [], "used": 10, "limit": 1000}"#),
                (200, #"{"used": 1000, "limit": 1000}"#),
            ])
        #expect(
            result.lines == [
                "a", "QuotaExceededError true", "QuotaExceededError true",
                "QuotaExceededError true",
            ])
    }

    @Test(arguments: [
        (
            403, #"{"detail": "You have denied storage to my-app."}"#,
            "You have denied storage to my-app."
        ),
        (500, "not JSON", "the host answered 500."), (200, "not JSON", "the host answered 200."),
        (500, #"{"detail": 5}"#, "the host answered 500."),
    ])
    func
        `without storage at the host, values are kept for the run, and the first write warns`(
            status: UInt16, body: String, reason: String
        ) throws
    {
        let result = try run(
            """
            console.log(localStorage.length);
            localStorage.setItem("a", 1);
            localStorage.length = 5;
            localStorage.b = 2;
            console.log(JSON.stringify(localStorage), localStorage.getItem("none"), localStorage.none);
            console.log("a" in localStorage, delete localStorage.a, localStorage.key(0), localStorage.key(9));
            try { localStorage.setItem("big", "x".repeat(6 << 20)) } catch (e) { console.log(e.name) }
            """, [(status, body)])
        #expect(
            result.lines == [
                "0", "localStorage is kept for this run only: \(reason)",
                "{\"a\":\"1\",\"b\":\"2\"} null undefined", "true true b null",
                "QuotaExceededError",
            ])
        #expect(result.calls.count == 1)
    }

    @Test
    func
        `values that the host rejects are kept for the run, reported once and sent again`()
        throws
    {
        let problem = #"{"detail": "An app may keep 1000 bytes, and 999 are taken."}"#
        let result = try run(
            """
            localStorage.a = 1;
            setTimeout(() => { localStorage.b = 2; console.log(localStorage.a); }, 1);
            setTimeout(() => { localStorage.c = 3; }, 2);
            """,
            [(200, Self.empty), (507, problem), (507, problem), (200, Self.usage)])
        #expect(
            result.lines == [
                "localStorage could not be kept: An app may keep 1000 bytes, and 999 are taken.",
                "1",
            ])
        #expect(result.calls.last == #"PATCH \#(Self.address) [["a","1"],["b","2"],["c","3"]]"#)
    }

    @Test func `changes are sent before the end of the run`() throws {
        let result = try run(
            "localStorage.a = 1; close(4); localStorage.b = 2;",
            [(200, Self.empty), (200, Self.usage)])
        #expect(result.calls.last == #"PATCH \#(Self.address) [["a","1"]]"#)
        #expect(result.run.end == .exit(4))
    }
}
