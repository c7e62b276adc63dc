import Foundation
import RunnerProtocol
import Synchronization
import TestSupport
import Testing

@testable import AppRuns

/// The host's side of the runner's socket against a runner that an attacker has taken over.
struct ForgedFrameTests {
    /// Records every call and answers none, so that each is still open when the next one arrives.
    private final class Recorder: HostConnection {
        let calls = Mutex<[HostCall]>([])

        func send(
            _ call: HostCall, receive: @escaping @Sendable (HostAnswerPart) async throws -> Void
        ) async throws {
            calls.withLock { $0.append(call) }
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        }
    }

    struct Forgery: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) {
            testDescription = name
            self.bytes = bytes
        }

        init(_ name: String, _ frames: RunnerFrame...) {
            self.init(name, frames.flatMap { $0.encoded() })
        }
    }

    private static func request(
        _ id: UInt32 = 1, method: String = "GET", target: String = "/api/v1/me",
        headers: [HeaderField] = []
    ) -> RunnerFrame {
        .request(id: id, method: method, target: target, headers: headers, body: [])
    }

    private func run(_ bytes: [UInt8]) async throws -> (RunOutcome, [HostCall]) {
        let spelled = bytes.map { String(format: "%02x", $0) }.joined()
        let recorder = Recorder()
        var configuration = RunConfiguration(
            app: "demo", token: "secret", scripts: [.init(name: "app.js", source: spelled)])
        configuration.pingTimeLimit = Program.patience
        let process = try await RunnerProcess.startUnconfined(path: ForgedProgram.path)
        let run = AppRun(configuration, process: process, connection: recorder) { _ in }
        let (outcome, _) = await run.run()
        return (outcome, recorder.calls.withLock { $0 })
    }

    @Test(arguments: [
        Forgery("garbage", [0xFF, 0xFF, 0xFF, 0x7F, 1]),
        Forgery("a frame of nothing", [0, 0, 0, 0]),
        Forgery("an unknown type", [1, 0, 0, 0, 99]),
        Forgery("bytes behind a frame's end", [6, 0, 0, 0, 7, 0, 1, 2, 3, 4]),
        Forgery("a length that lies", [5, 0, 0, 0, 2, 1, 255, 255, 255]),
        Forgery("text that is not UTF-8", [7, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0xFF]),
        Forgery("a second ready", .ready(layers: [])),
        Forgery("an id in use", request(), request()),
        Forgery("a method that carries a request", request(method: "GET / HTTP/1.1\r\n\r\nGET")),
        Forgery("a method of bytes that are no letters", request(method: "GE T")),
        Forgery("an unrequested view", .view(text: "x")),
        Forgery("an unrequested document", .markup(text: "x")),
        Forgery(
            "a library twice", .library(id: 1, .document), .library(id: 2, .document)),
        Forgery("a library under an id in use", request(), .library(id: 1, .document)),
        Forgery("a library that there is not", [6, 0, 0, 0, 8, 1, 0, 0, 0, 9]),
        Forgery(
            "calls without end",
            (1...200).flatMap { request($0, target: "/api/v1/sensors").encoded() }),
    ])
    func `a forged frame ends its run`(forgery: Forgery) async throws {
        let (outcome, calls) = try await run(forgery.bytes)
        guard case .protocolViolation = outcome else {
            Issue.record("it ended as \(outcome)")
            return
        }
        #expect(calls.allSatisfy { $0.method == "GET" })
    }

    @Test(.timeLimit(.minutes(10)))
    func `a call that waits for a file can be cancelled while another file is sent`()
        async throws
    {
        let frames: [RunnerFrame] = [
            Self.request(1, target: "/a.bin"), Self.request(2, target: "/b.bin"), .cancel(id: 2),
            .finished(code: 0),
        ]
        let (outcome, _) = try await run(frames.flatMap { $0.encoded() })
        #expect(outcome == .finished(code: 0))
    }

    @Test func `identity follows from the socket, whatever a call contains`() async throws {
        let headers = [
            HeaderField("authorization", "Bearer other"), HeaderField("host", "localhost"),
            HeaderField("connection", "close"), HeaderField("accept", "text/csv\r\nX-Evil: 1"),
            HeaderField("content-type", "application/json"),
        ]
        let frames = [Self.request(headers: headers), .finished(code: 0)]
        let (_, calls) = try await run(frames.flatMap { $0.encoded() })
        // The run may end before the call arrives; then there is no caller to check.
        for call in calls {
            #expect(call.host == "demo.localhost")
            #expect(call.headers.map(\.name) == ["content-type", "Authorization"])
            #expect(call.headers.last?.value == "Bearer secret")
        }
    }

    @Test(
        arguments: [
            ("/a?b=c", "/a?b=c"), ("http://demo.localhost/x", "/x"), ("http://demo.localhost", "/"),
            ("http://demo.localhost:8080/x#y", "/x"), ("//evil/", nil), ("http://localhost/", nil),
            ("http://demo.localhost@evil/", nil), ("http://demo.localhost.evil/", nil),
            ("https://demo.localhost/", nil), ("/a b", nil), ("/a\r\nHost: x", nil), ("", nil),
            ("/\u{e9}", nil), ("http://demo.localhost:8080x/", nil),
        ] as [(String, String?)])
    func `only calls to the app's own origin reach the host`(target: String, path: String?) {
        #expect(OwnOrigin(app: "demo").path(of: target) == path)
    }
}
