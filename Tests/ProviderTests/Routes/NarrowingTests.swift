import Auth
import Samples
import Testing

/// A narrowed grant takes effect in the next call of an app, and within a stream.
@Suite(.timeLimit(.minutes(10)))
struct NarrowingTests {
    /// A term of a grant, and its effect.
    struct Term: CustomTestStringConvertible, Sendable {
        let name: String
        let terms: @Sendable (Timestamp) -> Terms
        /// The levels that the next call sees of 1, 16, 24 and 36.
        var levels: [Double] = []
        /// The code with which it is refused.
        var code: String?
        /// The levels that a stream sees of 16, 24 and 36 that arrive after the change.
        var streamed: [String] = []

        var testDescription: String { name }
    }

    static let terms = [
        Term(
            name: "rate", terms: { _ in Terms(access: .raw, maximumRate: 0.5) },
            levels: [1, 16, 36], streamed: ["16.0", "36.0"]),
        Term(
            name: "precision", terms: { _ in Terms(access: .raw, precision: 10) },
            levels: [0, 20, 20, 40], streamed: ["20.0", "20.0", "40.0"]),
        Term(
            name: "history", terms: { _ in Terms(access: .raw, history: .seconds(19)) },
            levels: [24, 36]),
        Term(
            name: "expiry",
            terms: { Terms(access: .raw, expires: $0.advanced(byMicroseconds: -1)) },
            code: "undecided"),
        Term(
            name: "background", terms: { _ in Terms(access: .raw, background: false) },
            code: "not-in-background"),
        Term(name: "access", terms: { _ in Terms(access: .stats) }, code: "statistics-only"),
    ]

    /// An app that runs in the background with all privileges, and the time of its samples.
    private static func start(_ host: ServedHost) async throws -> (
        token: String, times: [Timestamp]
    ) {
        try await host.install()
        try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
        let (_, token) = try await host.authority.beginRun(of: "my-app", isForeground: false)
        // Two seconds are one interval at the rate of the table.
        let now = host.clock.now.microseconds / 2_000_000 * 2_000_000
        host.clock.now = Timestamp(microseconds: now)
        let times = [-7200, -20, -19, -18].map {
            Timestamp(microseconds: now + Int64($0) * 1_000_000)
        }
        return (token.text, times)
    }

    private static func narrow(_ host: ServedHost, _ term: Term) async throws {
        try await host.authority.decide(
            .allow(term.terms(host.clock.now)), on: PrivilegeID.sensor("gauge", .raw),
            by: "my-app")
    }

    @Test(arguments: terms)
    func `the term affects the next call`(term: Term) async throws {
        try await ServedHost.with { host in
            let (token, times) = try await Self.start(host)
            for (level, time) in zip([1.0, 16, 24, 36], times) { await host.gauge(level, at: time) }
            let call = Call("GET", "/api/v1/sensors/gauge/samples", token: token)
            #expect(try ServedHost.levels(try await host.send(call)) == [1, 16, 24, 36])
            try await Self.narrow(host, term)
            let answer = try await host.send(call)
            #expect(answer.status == (term.code == nil ? 200 : 403))
            if let code = term.code {
                #expect(answer.code == code)
            } else {
                #expect(try ServedHost.levels(answer) == term.levels)
            }
        }
    }

    /// Arriving samples are new, so the history does not affect a stream.
    @Test(arguments: terms.filter { $0.name != "history" })
    func `the term affects a running stream`(term: Term) async throws {
        try await ServedHost.with { host in
            let (token, _) = try await Self.start(host)
            try await host.stream(token: token) { events async throws in
                await host.gauge(1)
                await events.read { $0.ids.count >= 1 }
                #expect(events.text.contains(#""level":1.0"#))
                let before = events.text.count
                try await Self.narrow(host, term)
                for (level, seconds) in [(16.0, 2), (24, 1), (36, 1)] {
                    host.clock.now = host.clock.now.advanced(
                        byMicroseconds: Int64(seconds) * 1_000_000)
                    await host.gauge(level)
                }
                // A refusal ends the stream.
                let (isOver, count) = (term.code != nil, term.streamed.count + 1)
                await events.read { !isOver && $0.ids.count >= count }
                let news = events.text.dropFirst(before)
                let levels = news.matches(of: /"level":([0-9.]+)/).map { String($0.1) }
                #expect(levels == term.streamed)
                #expect(news.contains("event: problem") == (term.code != nil))
                if let code = term.code { #expect(news.contains(#""code":"\#(code)""#)) }
            }
        }
    }
}
