import Foundation
import Samples
import Testing

@testable import SampleStore

struct FieldTests {
    private let folder: TemporaryStore
    private static let time = Timestamp(microseconds: 1)

    init() throws {
        folder = try TemporaryStore()
    }

    @Test(arguments: [
        "", "plain", "e\u{301}", "é", "\0", "a\0b", "\u{1F468}\u{200D}\u{1F469}", "\u{FEFF}x",
        "\u{202E}abc", "\r\n", "\u{10FFFF}", String(repeating: "日", count: 20_000),
        "'; DROP TABLE tail; --",
    ])
    func `text is restored scalar by scalar`(text: String) async throws {
        let fields = [Field("note", kind: .text), Field("state", kind: .state)]
        let store = try await folder.open(fields)
        try await store.append(
            [Sample(time: Self.time, values: [.text(text), .text(text)])], to: "probe")
        for _ in 0..<2 {
            let values = try #require(try await store.all().first).values
            for value in values {
                guard case .text(let found) = value else {
                    Issue.record("not text")
                    continue
                }
                // The strings are canonically equivalent; their scalars differ.
                #expect(Array(found.unicodeScalars) == Array(text.unicodeScalars))
            }
            try await store.flush()
        }
    }

    @Test(arguments: [
        -0.0, .leastNonzeroMagnitude, -.greatestFiniteMagnitude, .greatestFiniteMagnitude, 0.1,
        .pi,
    ])
    func `numbers are restored bit by bit`(number: Double) async throws {
        let store = try await folder.open([Field("x")])
        try await store.append([Sample(time: Self.time, values: [.number(number)])], to: "probe")
        try await store.flush()
        let value = try await store.all().first?.values.first?.double
        #expect(value?.bitPattern == number.bitPattern)
    }

    @Test(arguments: [Int64.min, -1, 0, 9_007_199_254_740_993, .max])
    func `integers are restored exactly`(integer: Int64) async throws {
        let store = try await folder.open()
        try await store.add([(integer == .max ? 0 : integer, integer)])
        try await store.flush()
        #expect(try await store.all().first?.values == [.integer(integer)])
    }

    @Test(arguments: [
        [Value.number(.nan), .text("")], [.number(.infinity), .text("")],
        [.number(-.infinity), .text("")], [.integer(1), .text("")], [.number(1), .integer(1)],
        [.number(1)], [], [.number(1), .text(""), .text("")], [.text(""), .number(1)],
    ])
    func `one invalid sample rejects the whole call`(
        values: [Value]
    ) async throws {
        let store = try await folder.open([Field("x"), Field("note", kind: .text)])
        let good = Sample(time: Self.time, values: [.number(1), .text("")])
        let error = await #expect(throws: SampleStoreError.self) {
            try await store.append(
                [good, Sample(time: Self.time, values: values), good], to: "probe")
        }
        #expect(error?.code == .invalid)
        #expect(try await store.all().isEmpty)
        #expect(await store.lastSequence == 0)
        try await store.append([good], to: "probe")
        #expect(try await store.all().map(\.sequence) == [1])
    }

    @Test func `samples of an unregistered sensor are rejected`() async throws {
        let store = try await folder.open()
        let error = await #expect(throws: SampleStoreError.self) {
            try await store.append([TemporaryStore.sample(1, 1)], to: "stranger")
        }
        #expect(error?.code == .invalid)
    }

    private static let old = [
        Field("a", unit: "m"), Field("b", kind: .integer), Field("c", kind: .text),
    ]
    private static let oldValues: [Value] = [.number(1.5), .integer(7), .text("old")]

    @Test(
        arguments: [
            ([Field("c", kind: .text), Field("a", unit: "m")], [.text("old"), .number(1.5)]),
            ([Field("b", kind: .integer)], [.integer(7)]),
            ([Field("b", kind: .number), Field("c", kind: .state)], [.number(7), .text("old")]),
            ([], []),
            ([Field("a", unit: "m"), Field("d")], nil),
            ([Field("a", unit: "[ft_i]")], nil),
            ([Field("a", unit: "m", kind: .integer)], nil),
            ([Field("c", kind: .number)], nil),
        ] as [([Field], [Value]?)])
    func `samples with earlier fields are matched by name and unit`(
        fields: [Field], expected: [Value]?
    ) async throws {
        let store = try await folder.open(Self.old)
        try await store.append([Sample(time: Self.time, values: Self.oldValues)], to: "probe")
        try await store.register("probe", fields: fields)
        for _ in 0..<2 {
            let found = try await store.all()
            #expect(found.map(\.values) == (expected.map { [$0] } ?? []))
            #expect(await store.newest(of: "probe")?.values == expected)
            let arrived = try await store.arrivals(of: "probe", after: 0, limit: 9)
            #expect(arrived == found)
            try await store.flush()
        }
        let again = try await folder.open(fields)
        #expect(try await again.all().map(\.values) == (expected.map { [$0] } ?? []))
        #expect(await again.newest(of: "probe")?.values == expected)
        try await again.register("probe", fields: Self.old)
        #expect(try await again.all().map(\.values) == [Self.oldValues])
        #expect(await again.newest(of: "probe")?.values == Self.oldValues)
    }

    @Test func `unreadable samples do not end a page early`() async throws {
        let store = try await folder.open([Field("a")])
        for time in 0..<10 as Range<Int64> {
            let fields = [Field(time % 2 == 0 ? "b" : "a")]
            try await store.register("probe", fields: fields)
            try await store.append(
                [Sample(time: .init(microseconds: time), values: [.number(Double(time))])],
                to: "probe")
            try await store.flush()
        }
        let page = try await store.samples(TemporaryStore.query(limit: 3))
        #expect(page.map(\.time.microseconds) == [1, 3, 5])
        let arrived = try await store.arrivals(of: "probe", after: 0, limit: 3)
        #expect(arrived == page)
    }

    @Test func `a query can request earlier fields`() async throws {
        let store = try await folder.open(Self.old)
        try await store.append([Sample(time: Self.time, values: Self.oldValues)], to: "probe")
        try await store.register("probe", fields: [Field("b", kind: .integer)])
        let query = SampleQuery(sensor: "probe", fields: Self.old, limit: 1)
        #expect(try await store.samples(query).map(\.values) == [Self.oldValues])
        try await store.append([Sample(time: Self.time, values: [.integer(8)])], to: "probe")
        #expect(try await store.samples(TemporaryStore.query()).count == 2)
        let all = SampleQuery(sensor: "probe", fields: Self.old, limit: 9)
        #expect(try await store.samples(all).count == 1)
    }
}
