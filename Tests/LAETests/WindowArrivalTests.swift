import Auth
import Samples
import TestSupport
import Testing

@testable import LAE

/// Streams of virtual sensors: when their windows are closed.
struct WindowArrivalTests {
    private let fixture: EngineFixture
    private let seed = UInt64.random(in: .min ... .max)

    init() async throws {
        fixture = try await EngineFixture()
    }

    /// All arrivals of the virtual sensor, in groups of some samples of its inputs.
    private func stream(
        after start: Int64 = 0, groupSize: Int, _ terms: Terms = Terms(access: .raw)
    ) async throws -> [StoredSample] {
        let grant = try await fixture.grant(terms, to: EngineFixture.shake)
        var (last, mark): (Int64, Timestamp?) = (start, nil)
        var found: [StoredSample] = []
        while true {
            let group = try await fixture.engine.arrivals(
                after: last, limit: groupSize, mark: mark, for: grant)
            found += group.page.samples
            guard group.last > last else { return found }
            (last, mark) = (group.last, group.mark)
        }
    }

    private func second(_ count: Double) -> Int64 { Int64(count * 1_000_000) }

    @Test func `a window is computed when a sample closes it, with the number of that sample`()
        async throws
    {
        try await fixture.define(window: "1s", [("mean", by: "mean", of: ["probe.x"])])
        try await fixture.add([(second(0.2), 1), (second(0.8), 3)])
        #expect(try await stream(groupSize: 10).isEmpty)
        // The third sample closes the first window, the fourth the two after it, of which one is empty.
        try await fixture.add([(second(1.5), 10), (second(3), 20)])
        let found = try await stream(groupSize: 10)
        #expect(found.map(\.values) == [[.number(2)], [.number(10)]])
        #expect(found.map(\.time.microseconds) == [second(1), second(2)])
        #expect(found.map(\.sequence) == [3, 4])
        // A late sample closes nothing, and changes nothing that was streamed.
        try await fixture.add([(second(0.5), 100), (second(4.2), 5)])
        let more = try await stream(after: 4, groupSize: 10)
        #expect(more.map(\.values) == [[.number(20)]])
        #expect(more.map(\.sequence) == [6])
    }

    @Test func `the terms of the grant apply to the stream`() async throws {
        try await fixture.define(window: "1s", [("mean", by: "mean", of: ["probe.x"])])
        let now = EngineFixture.now.microseconds
        try await fixture.add(
            (0..<8).map { (time: now - 9_000_000 + Int64($0) * 1_000_000, x: Double($0) * 3) })
        let all = try await stream(groupSize: 3)
        #expect(all.map(\.values) == (0..<7).map { [.number(Double($0) * 3)] })
        let rounded = try await stream(groupSize: 3, Terms(access: .raw, precision: 10))
        #expect(rounded.map(\.values) == [0, 0, 10, 10, 10, 20, 20].map { [.number($0)] })
        let rare = try await stream(groupSize: 3, Terms(access: .raw, maximumRate: 0.5))
        let slots = all.filter { $0.time.microseconds % 2_000_000 == 0 }
        #expect(rare == slots)
        let recent = try await stream(
            groupSize: 3, Terms(access: .raw, history: .seconds(4)))
        #expect(recent.map(\.time) == all.suffix(3).map(\.time))
        let error = await #expect(throws: LAEError.self) {
            try await stream(groupSize: 3, Terms(access: .stats))
        }
        #expect(error?.code == .notGranted)
    }

    @Test func `random streams have each window once, and resume anywhere`() async throws {
        var random = SplitMix(state: seed)
        try await fixture.define(
            window: "2s", slide: "1s",
            [("mean", by: "mean", of: ["probe.x"]), ("top", by: "max", of: ["other.y"])])
        var time = 0.0
        for _ in 0..<40 {
            // Often in order, sometimes late, sometimes after a gap.
            let steps: [Double] = [0.1, 0.4, 0.9, 1.3, 3, 40]
            time += steps[Int.random(in: steps.indices, using: &random)]
            let back = Int.random(in: 0...6, using: &random) == 0 ? 1.7 : 0
            let at = second(max(0, time - back))
            if Bool.random(using: &random) {
                try await fixture.add([(at, Double(at % 97))])
            } else {
                try await fixture.addOther([(at, Double(at % 89))])
            }
        }
        let all = try await stream(groupSize: 1_000)
        #expect(!all.isEmpty && Set(all.map(\.time)).count == all.count, "seed \(seed)")
        #expect(all.map(\.sequence) == all.map(\.sequence).sorted(), "seed \(seed)")
        for size in [1, 2, 7] {
            #expect(try await stream(groupSize: size) == all, "seed \(seed), size \(size)")
        }
        for start in Int64(0)...40 {
            let rest = try await stream(after: start, groupSize: 5)
            #expect(rest == all.filter { $0.sequence > start }, "seed \(seed), after \(start)")
        }
        // The windows are those that are read.
        let grant = try await fixture.grant(to: EngineFixture.shake)
        let page = try await fixture.engine.samples(SampleSelection(limit: 1_000), for: grant)
        let read = Dictionary(uniqueKeysWithValues: page.samples.map { ($0.time, $0.values) })
        #expect(all.allSatisfy { read[$0.time] == $0.values }, "seed \(seed)")
    }
}
