import Foundation
import Samples
import TestSupport
import Testing
import VM

@testable import Auth
@testable import LAE

/// Random chains of narrowed tokens: whatever a child sees is a function of what its parent sees.
struct NarrowedTermsTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"
    private static let now = Timestamp(microseconds: 240)

    private let seed = UInt64.random(in: .min ... .max)

    @Test func `no chain of blocks gives more than the grant of the first token`() throws {
        var random = SplitMix(state: seed)
        var granted = 0
        for _ in 0..<(Self.isLong ? 1_000_000 : 5_000) {
            let parent = terms(&random)
            let caveats = (0..<Int.random(in: 1...5, using: &random)).map { _ in caveat(&random) }
            let access = Access.allCases.randomElement(using: &random) ?? .raw
            let attenuation = Attenuation(caveats: caveats.compactMap(\.self))
            try #require(attenuation.caveats.count == caveats.count)
            guard let child = attenuation.narrowed(parent, for: access) else { continue }
            granted += 1
            let note: Comment = "seed \(seed): \(parent), \(caveats), \(child)"
            #expect(parent.access.includes(child.access) && child.access.includes(access), note)
            #expect(child.only == parent.only && child.background == parent.background, note)
            check(attenuation, child, note)
            if child.access != .write { compare(parent, child, &random, note) }
        }
        #expect(granted > 500)
    }

    /// The child's terms are within those of each block.
    private func check(_ attenuation: Attenuation, _ child: Terms, _ note: Comment) {
        for caveat in attenuation.caveats {
            if let access = caveat.access { #expect(access.includes(child.access), note) }
            if let end = caveat.expires { #expect(child.expires.map { $0 <= end } == true, note) }
            guard child.access != .write else { continue }
            if let limit = caveat.history {
                #expect(child.history.map { $0 <= limit } == true, note)
            }
            if let rate = caveat.maximumRate {
                let width = Terms(access: .raw, maximumRate: rate).slotWidth ?? 0
                #expect((child.slotWidth ?? 0) >= width, note)
            }
            if let step = caveat.precision { #expect(child.roundings.contains(step), note) }
        }
    }

    /// The samples that the child sees are among those of the parent, and their values are a function
    /// of the parent's; of statistics, the samples that count are the same.
    private func compare(
        _ parent: Terms, _ child: Terms, _ random: inout SplitMix, _ note: Comment
    ) {
        guard parent.access == .raw else {
            #expect(child.slotWidth == parent.slotWidth, note)
            #expect(child.roundings == parent.roundings, note)
            #expect((child.history ?? .seconds(9)) <= (parent.history ?? .seconds(9)), note)
            return
        }
        var (time, samples): (Int64, [Sample]) = (0, [])
        while time < 200 {
            time += Int64.random(in: 1...40, using: &random)
            samples.append(
                Sample(
                    time: Timestamp(microseconds: time),
                    values: [
                        .number(Double.random(in: -9...9, using: &random)),
                        .integer(Int64.random(in: -9...9, using: &random)),
                    ]))
        }
        let all = Dictionary(
            uniqueKeysWithValues: view(samples, parent).map { ($0.time, $0.values) })
        let again = reduction(child)
        for sample in view(samples, child) {
            guard let values = all[sample.time] else {
                Issue.record("\(sample.time) is withheld from the parent; \(note)")
                continue
            }
            #expect(again.reduced(values) == sample.values, note)
        }
    }

    private func reduction(_ terms: Terms) -> GrantTerms {
        var raw = terms
        // As the statistics of single samples; the cells of statistics are wider than the test's times.
        raw.access = .raw
        let grant = Grant(
            to: Client(name: "curl", kind: .client, run: nil), sensor: "probe", terms: raw)
        return GrantTerms(grant, now: Self.now, cadence: .fast)
    }

    /// The samples that can be read under terms.
    private func view(_ samples: [Sample], _ terms: Terms) -> [Sample] {
        let reduction = reduction(terms)
        let visible = reduction.visible(.all)
        var last: TimeRange?
        var seen: [Sample] = []
        for sample in samples {
            if let slot = reduction.slot(of: sample.time) {
                if slot == last { continue }
                last = slot
            }
            guard visible.contains(sample.time) else { continue }
            seen.append(Sample(time: sample.time, values: reduction.reduced(sample.values)))
        }
        return seen
    }

    private func maybe<T>(_ random: inout SplitMix, _ make: (inout SplitMix) -> T) -> T? {
        Bool.random(using: &random) ? make(&random) : nil
    }

    /// Rates whose slots have from 1 to some 60 microseconds, or are of any width.
    private func rate(_ random: inout SplitMix) -> Double {
        switch Int.random(in: 0...9, using: &random) {
        case 0: Double(bitPattern: UInt64.random(in: 1...0x7FEF_FFFF_FFFF_FFFF, using: &random))
        case 1: Double.random(in: 15_000...1_000_000, using: &random)
        default: 1_000_000 / Double(Int.random(in: 1...60, using: &random))
        }
    }

    private func step(_ random: inout SplitMix) -> Double {
        [0.1, 0.25, 0.5, 0.7, 1, 1.5, 2, 3, 5, .pi].randomElement(using: &random) ?? 1
    }

    private func terms(_ random: inout SplitMix) -> Terms {
        Terms(
            access: Access.allCases.randomElement(using: &random) ?? .raw,
            maximumRate: maybe(&random, rate), precision: maybe(&random, step),
            history: maybe(&random) { .microseconds(Int64.random(in: 1...240, using: &$0)) },
            expires: maybe(&random) {
                Timestamp(microseconds: Int64.random(in: 0...9, using: &$0))
            },
            background: Bool.random(using: &random))
    }

    private func caveat(_ random: inout SplitMix) -> Caveat? {
        Caveat(
            access: Int.random(in: 0...3, using: &random) == 0
                ? Access.allCases.randomElement(using: &random) : nil,
            maximumRate: maybe(&random, rate), precision: maybe(&random, step),
            history: maybe(&random) { .microseconds(Int64.random(in: 1...240, using: &$0)) },
            expires: maybe(&random) { Timestamp(microseconds: Int64.random(in: 0...9, using: &$0)) }
        )
    }
}
