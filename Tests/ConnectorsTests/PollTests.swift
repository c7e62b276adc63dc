import Addresses
import Egress
import Ingest
import NIOSSL
import Samples
import TestSupport
import Testing
import VM

@testable import Connectors

struct PollTests {
    private static func connector(
        _ url: String, pin: String? = nil, fields: [HeaderField] = [],
        trust: [NIOSSLCertificate] = [], timeout: Duration = Program.patience
    ) throws -> PollConnector {
        PollConnector(
            try #require(WebAddress(url)), every: .milliseconds(5), timeout: timeout,
            fields: fields, pin: pin.flatMap { CertificatePin($0) },
            trustRoots: .certificates(trust),
            budget: HostRateLimiter(calls: 1_000_000, per: .seconds(1)))
    }

    /// Runs a source of temperatures while `body` runs.
    private static func with<T: Sendable>(
        _ connector: PollConnector, _ body: (SupervisedSource) async throws -> T
    ) async throws -> T {
        let watched = WatchedConnector(connector)
        let result = try await body(try source(watched))
        await watched.waitForEnd()
        return result
    }

    private static func source(_ connector: any Connector) throws -> SupervisedSource {
        let maker = try SampleMaker(
            format: .json, names: ["main.temp"],
            rules: [FieldRule(Field("temperature", unit: "Cel"), offset: -273.15)])
        return SupervisedSource(
            connector, maker: maker, time: ScriptedTime(clock: { ConnectorKindTests.now }))
    }

    /// The reported problem with the responses of a server.
    private static func fault(
        _ reply: LocalServer.Reply, timeout: Duration = Program.patience
    ) async throws -> String {
        try await LocalServer.with { _ in
            reply
        } _: { server in
            let url = "http://127.0.0.1:\(server.port)/weather?appid=secret"
            return try await with(try connector(url, timeout: timeout)) { source in
                let samples = source.samples()
                let report = try await ConnectorKindTests.reach(source, "the fault") {
                    $0.problem != nil
                }
                #expect(report.accepted == 0)
                let problem = report.problem ?? ""
                #expect(problem.hasPrefix("http://127.0.0.1:\(server.port)"))
                #expect(!problem.contains("secret"))
                withExtendedLifetime(samples) {}
                return problem
            }
        }
    }

    @Test func `a weather service is called with the query and the key of the pack`()
        async throws
    {
        try await LocalServer.with { request in
            guard request.target == "/weather?lat=47.4&lon=8.5&units=metric&appid=key",
                request["X-Key"] == "secret", request.method == "GET", request["Cookie"] == nil
            else { return .answer(status: "400 Bad Request") }
            return .answer(#"{"main": {"temp": 283.15}}"# + "\r\n")
        } _: { server in
            let url =
                "http://localhost:\(server.port)/weather?lat=47.4&lon=8.5&units=metric&appid=key"
            let field = HeaderField("X-Key", "secret")
            try await Self.with(try Self.connector(url, fields: [field])) { source async throws in
                var samples = source.samples().makeAsyncIterator()
                for _ in 0..<3 {
                    #expect(try await samples.next()?.values == [.number(10)])
                }
                #expect(source.report?.connections == 1)
                #expect(source.report?.problem == nil)
            }
        }
    }

    @Test func `the 61st call within a minute to a host waits, whichever sensor makes it`() {
        let budget = HostRateLimiter(calls: 60, per: .seconds(60))
        let start = ContinuousClock.now
        for second in 0..<60 {
            let now = start.advanced(by: .milliseconds(500 * second))
            #expect(budget.reserve("a", at: now) == .zero)
        }
        let later = start.advanced(by: .seconds(30))
        #expect(budget.reserve("a", at: later) == .seconds(30))
        #expect(budget.reserve("b", at: later) == .zero)
        #expect(budget.reserve("a", at: later) == .seconds(30.5))
        // At most sixty calls within any minute.
        var due = (0..<300).map {
            later.advanced(by: budget.reserve("c", at: later) + .seconds($0 / 300))
        }
        due.sort()
        for (first, last) in zip(due, due.dropFirst(60)) {
            #expect(first.duration(to: last) >= .seconds(60))
        }
    }

    @Test(
        arguments: [
            (.answer(status: "500 Internal Server Error"), "answers with 500."),
            (.answer(status: "404 Not Found"), "answers with 404."),
            (
                .answer("{}", status: "401 Unauthorized"),
                "refused the call with 401; check the key."
            ),
            (
                .answer(status: "429 Too Many Requests"),
                "limits its calls (429); use a longer interval."
            ),
            (
                .redirect(to: "http://127.0.0.1:1/"),
                "redirects with 302; use the new address as the url."
            ),
            (
                .answer("x", fields: [("Content-Encoding", "gzip")]),
                "compressed its response without being asked to."
            ),
            (.text("SSH-2.0-OpenSSH_9\r\n"), "did not answer with valid HTTP."),
            (
                .text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
                "closed the connection before the response was complete."
            ),
            (
                .text("HTTP/1.1 200 OK\r\nContent-Length: 262145\r\n\r\n"),
                "sent more than the limit of 262144 bytes."
            ),
            (
                .endless(
                    after: Array("HTTP/1.1 200 OK\r\n\r\n".utf8),
                    [UInt8](repeating: 0x20, count: 4096)),
                "sent more than the limit of 262144 bytes."
            ),
            (.answer("<html>"), "/weather sent a response that does not match the sensor pack."),
        ] as [(LocalServer.Reply, String)])
    func `an error response is reported with its reason`(
        reply: LocalServer.Reply, text: String
    ) async throws {
        let fault = try await Self.fault(reply)
        #expect(fault.hasSuffix(text), "\(fault)")
    }

    @Test(
        arguments: [
            .silence(after: []),
            .silence(after: Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".utf8)),
        ] as [LocalServer.Reply])
    func `a server that does not answer times out`(reply: LocalServer.Reply) async throws {
        let fault = try await Self.fault(reply, timeout: .seconds(2))
        #expect(fault.hasSuffix("did not answer in time."))
    }

    @Test func `an unreachable server is reported`() async throws {
        let port = ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let source = try Self.source(try Self.connector("http://127.0.0.1:\(port.number)/"))
        let samples = source.samples()
        let report = try await ConnectorKindTests.reach(source, "the fault") { $0.problem != nil }
        #expect(report.problem?.contains("cannot be reached") == true)
        #expect(report.link == .disconnected)
        withExtendedLifetime(samples) {}
    }

    @Test(arguments: ["trusted", "certificate", "key", "none", "other"])
    func `a device of your own is identified by its pin`(shows: String) async throws {
        let certificate = try await TestCertificate(names: ["DNS:localhost"])
        let other = try await TestCertificate(names: ["DNS:localhost"])
        let pins = try certificate.pins()
        try await LocalServer.with(certificate: certificate) { _ in
            .answer(#"{"main": {"temp": 283.15}}"#)
        } _: { server in
            let pin: String? =
                switch shows {
                case "certificate": pins.certificate
                case "key": pins.key
                case "other": try other.pins().certificate
                default: nil
                }
            let connector = try Self.connector(
                "https://localhost:\(server.port)/", pin: pin,
                trust: shows == "trusted" ? [certificate.certificate] : [])
            try await Self.with(connector) { source async throws in
                let samples = source.samples()
                try await ConnectorKindTests.reach(source, "an answer") {
                    $0.problem != nil || $0.accepted > 0
                }
                let report = try #require(source.report)
                switch shows {
                case "none":
                    #expect(report.problem?.contains("that this machine does not trust") == true)
                case "other":
                    #expect(
                        report.problem?.hasSuffix(
                            "has a different certificate than the pinned one.")
                            == true
                    )
                default: #expect(report.accepted > 0)
                }
                withExtendedLifetime(samples) {}
            }
            // No request is sent before the server is verified.
            #expect(server.received.isEmpty == ["none", "other"].contains(shows))
        }
    }
}
