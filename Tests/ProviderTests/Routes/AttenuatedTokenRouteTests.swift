import Foundation
import Samples
import TestSupport
import Testing
import Text

@testable import Auth

/// Narrowed tokens over HTTP: no route returns more to a child than to its parent.
@Suite(.timeLimit(.minutes(10)))
struct AttenuatedTokenRouteTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"

    private let seed = UInt64.random(in: .min ... .max)

    /// The samples of an answer: the level by time.
    private static func samples(_ answer: Answer) throws -> [Double: Double] {
        let json = try answer.json()
        let items = json["items"]?.array ?? [json]
        return Dictionary(
            try items.map { item in
                (
                    try #require(item["t"]?.number?.double),
                    try #require(item["level"]?.number?.double)
                )
            }
        ) { first, _ in first }
    }

    @Test func `random chains get no more than their parent on any route`() async throws {
        var random = SplitMix(state: seed)
        var made: [(caveats: [Caveat], terms: Terms)] = []
        for _ in 0..<(Self.isLong ? 400 : 24) {
            let count = Int.random(in: 1...3, using: &random)
            made.append(
                (try (0..<count).map { _ in try #require(caveat(&random)) }, terms(&random)))
        }
        let cases = made
        try await ServedHost.with { host in
            let parent = try await host.client("curl", allow: ["storage", "sessions"])
            let now = host.clock.now.microseconds
            for second in stride(from: Int64(-90), to: 0, by: 3) {
                let time = Timestamp(microseconds: now + second * 1_000_000)
                await host.gauge(Double(second * second % 97), at: time)
            }
            for (caveats, terms) in cases {
                try await host.decide(.allow(terms), "sensor:gauge", by: "curl")
                var child = parent
                for caveat in caveats {
                    child = try AttenuatedToken(narrowing: child, by: caveat).text
                }
                try await compare(
                    host, parent, child, caveats, "seed \(seed): \(terms), \(caveats)")
            }
        }
    }

    private func compare(
        _ host: ServedHost, _ parent: String, _ child: String, _ caveats: [Caveat], _ note: Comment
    ) async throws {
        for path in [
            "gauge/latest", "gauge/samples", "gauge/samples?order=desc&limit=7",
            "gauge/samples?from=-40s&limit=5", "gauge/samples?where=level%3E20",
        ] {
            let target = "/api/v1/sensors/" + path
            let all = try await host.send(
                Call("GET", "/api/v1/sensors/gauge/samples?limit=1000", token: parent))
            let theirs = try await host.send(Call("GET", target, token: child))
            guard theirs.status == 200 else {
                #expect([403, 404].contains(theirs.status), note)
                continue
            }
            #expect(all.status == 200, note)
            guard all.status == 200 else { continue }
            let visible = try Self.samples(all)
            let steps = caveats.compactMap(\.precision)
            for (time, level) in try Self.samples(theirs) {
                // Rounding the parent's number again gives the child's.
                let expected = visible[time].map { seen in
                    steps.reduce(seen) { number, step in (number / step).rounded() * step + 0 }
                }
                #expect(expected == level, note)
            }
        }
        let statistics = "/api/v1/sensors/gauge/stats?fn=count,max,mean"
        let mine = try await host.send(Call("GET", statistics, token: parent))
        let theirs = try await host.send(Call("GET", statistics, token: child))
        #expect(theirs.status == 403 || mine.status == 200, note)
        for target in ["/api/v1/sensors", "/api/v1/me", "/api/v1/permissions/sensor:gauge"] {
            let (mine, theirs) = (
                try await host.send(Call("GET", target, token: parent)),
                try await host.send(Call("GET", target, token: child))
            )
            #expect(theirs.status == 200, note)
            let rank = ["denied", "prompt", "statistics", "granted"]
            func states(_ answer: Answer) throws -> [Int] {
                let json = try answer.json()
                let items = json["items"]?.array ?? json["privileges"]?.array ?? [json]
                return items.map { item in
                    let state = item["permission"]?.string ?? item["state"]?.string ?? "denied"
                    return rank.firstIndex(of: state) ?? 0
                }
            }
            let (most, least) = (try states(mine), try states(theirs))
            #expect(least.count <= most.count, note)
            #expect((least.max() ?? 0) <= (most.max() ?? 0), note)
        }
        for target in ["/api/v1/storage", "/api/v1/sessions", "/api/v1/status", "/api/v1/tokens"] {
            let answer = try await host.send(Call("GET", target, token: child))
            #expect(answer.status == 403, note)
        }
    }

    private func terms(_ random: inout SplitMix) -> Terms {
        Terms(
            access: Int.random(in: 0...3, using: &random) == 0 ? .stats : .raw,
            maximumRate: [nil, 0.25, 1].randomElement(using: &random) ?? nil,
            precision: [nil, 0.5, 3].randomElement(using: &random) ?? nil,
            history: [nil, .seconds(45)].randomElement(using: &random) ?? nil)
    }

    private func caveat(_ random: inout SplitMix) -> Caveat? {
        Caveat(
            label: "x",
            sensors: [nil, nil, ["gauge"], ["cpu"], ["cpu", "gauge"]]
                .randomElement(using: &random) ?? nil,
            access: [nil, nil, nil, .raw, .stats, .write].randomElement(using: &random) ?? nil,
            maximumRate: [nil, 0.1, 0.3, 5].randomElement(using: &random) ?? nil,
            precision: [nil, 2, 7].randomElement(using: &random) ?? nil,
            history: [nil, .seconds(30), .seconds(600)].randomElement(using: &random) ?? nil)
    }

    @Test func `a stream ends when the parent is revoked`() async throws {
        try await ServedHost.with { host in
            let parent = try await host.client("curl", allow: ["sensor:gauge"])
            let caveat = try #require(Caveat(label: "sub-agent", precision: 10))
            let child = try AttenuatedToken(narrowing: parent, by: caveat).text
            try await host.stream(token: child) { events async throws in
                await host.gauge(14)
                await events.read { $0.ids.count >= 1 }
                #expect(events.text.contains(#""level":10.0"#))
                try await host.authority.revokeClient("curl")
                await host.gauge(26)
                await events.read { _ in false }
                #expect(!events.text.contains("30.0") && events.text.contains("event: problem"))
            }
            let log = try await host.send(
                Call("GET", "/api/v1/access-log?client=curl&kind=access", token: host.owner))
            #expect(log.text.contains("narrowed by sub-agent"))
        }
    }
}
