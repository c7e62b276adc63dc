import Foundation
import GRDB
import Health
import Samples
import Testing

/// What the health store saves, and what a view shows of it.
struct HealthStoreTests {
    private typealias Fixture = HealthFixture

    private let fixture: HealthFixture
    private let store: HealthStore

    init() throws {
        fixture = try HealthFixture()
        store = try fixture.open()
    }

    private func values(
        _ type: String, _ query: HealthQuery = HealthQuery(), in view: HealthView = .owner
    ) async throws -> [Double] {
        try await store.samples(of: Fixture.type(type), query, in: view).items.compactMap {
            if case .number(let number) = $0.content { number } else { nil }
        }
    }

    private func view(of source: HealthSource, _ types: String...) throws -> HealthView {
        HealthView(of: source, readable: Set(try types.map(Fixture.type)))
    }

    // MARK: - Samples

    @Test func `a value is stored in the unit of its type, whatever unit it is given in`()
        async throws
    {
        let saved = try await store.save(
            [
                Fixture.sample("body-mass", 165, unit: "[lb_av]", ago: 3),
                Fixture.sample("body-mass", 74.5, ago: 2),
                Fixture.sample("body-temperature", 98.6, unit: "[degF]", ago: 1),
            ], by: Fixture.run)
        #expect(saved.map(\.source) == [Fixture.run, Fixture.run, Fixture.run])
        let masses = try await values("body-mass")
        #expect(masses[0] == 74.5)
        #expect(abs(masses[1] - 74.842_741_05) < 1e-12)
        let temperature = try await values("body-temperature")
        #expect(abs(temperature[0] - 37) < 1e-12)
    }

    @Test(
        arguments: [
            ("heart-rate", 60, "kg", .unitMismatch),
            ("body-mass", 70, "m", .unitMismatch), ("steps", 10, "{step}", .unitMismatch),
            ("heart-rate", -1, nil, .invalid), ("heart-rate", .nan, nil, .invalid),
            ("heart-rate", .infinity, nil, .invalid), ("oxygen-saturation", 101, nil, .invalid),
            ("body-mass", .greatestFiniteMagnitude, "[stone_av]", .invalid),
            ("body-temperature", 200, "Cel", .invalid), ("sleep", 1, nil, .invalid),
            ("workout", 1, nil, .invalid), ("height", 1, nil, .invalid),
            ("blood-pressure", 120, nil, .invalid),
        ] as [(String, Double, String?, HealthError.Code)])
    func `a value of another unit, out of range or of another kind is refused, with all others`(
        type: String, value: Double, unit: String?, code: HealthError.Code
    ) async throws {
        let good = try Fixture.sample("heart-rate", 61)
        let bad = try Fixture.sample(type, value, unit: unit)
        #expect(await refusal { _ = try await store.save([good, bad], by: nil) } == code)
        #expect(try await store.counts().isEmpty)
    }

    @Test func `times that are reversed, before 1900 or after tomorrow are refused`() async throws {
        let type = try Fixture.type("heart-rate")
        let (day, now) = (Int64(86_400), Fixture.now)
        let refused = [
            (Fixture.ago(10), Fixture.ago(11)), (Fixture.ago(-day - 1), Fixture.ago(-day - 1)),
            (Timestamp(microseconds: -2_208_988_800_000_001), now),
        ]
        for (start, end) in refused {
            let draft = HealthSampleDraft(type, .number(60), start: start, end: end)
            #expect(await refusal { _ = try await store.save([draft], by: nil) } == .invalid)
        }
        let last = HealthSampleDraft(
            type, .number(60), start: Fixture.ago(-day), end: Fixture.ago(-day))
        #expect(try await store.save([last], by: nil).count == 1)
    }

    @Test func `pages neither lose nor repeat samples of the same time`() async throws {
        let drafts = try (0..<23).map { try Fixture.sample("heart-rate", 50 + Double($0), ago: 5) }
        _ = try await store.save(drafts, by: nil)
        for limit in [1, 7, 22, 23, 24] {
            for isNewestFirst in [true, false] {
                var query = HealthQuery(isNewestFirst: isNewestFirst, limit: limit)
                var found: [String] = []
                repeat {
                    let page = try await store.samples(
                        of: Fixture.type("heart-rate"), query, in: .owner)
                    found += page.items.map(\.id)
                    query.cursor = page.next
                } while query.cursor != nil
                #expect(found.count == 23)
                #expect(Set(found).count == 23)
            }
        }
        let wrong = HealthQuery(cursor: "x")
        #expect(await refusal { _ = try await values("heart-rate", wrong) } == .invalid)
    }

    @Test func `a range includes its start and not its end`() async throws {
        for seconds in [10, 20, 30] as [Int64] {
            _ = try await store.save(
                [Fixture.sample("heart-rate", Double(seconds), ago: seconds)], by: nil)
        }
        let range = TimeRange(from: Fixture.ago(30), to: Fixture.ago(10))
        #expect(try await values("heart-rate", HealthQuery(range: range)) == [20, 30])
    }

    // MARK: - Views

    @Test func `a view has the types that it may read, and of others its own samples only`()
        async throws
    {
        _ = try await store.save([Fixture.sample("heart-rate", 61, ago: 3)], by: Fixture.pulse)
        _ = try await store.save([Fixture.sample("heart-rate", 62, ago: 2)], by: Fixture.run)
        _ = try await store.save([Fixture.sample("heart-rate", 63, ago: 1)], by: nil)
        let granted = try view(of: Fixture.run, "heart-rate")
        let other = try view(of: Fixture.run, "steps")
        #expect(try await values("heart-rate", in: granted) == [63, 62, 61])
        #expect(try await values("heart-rate", in: other) == [62])
        #expect(try await values("heart-rate", in: .owner) == [63, 62, 61])
        let own = HealthQuery(isOwnOnly: true)
        #expect(try await values("heart-rate", own, in: granted) == [62])
        #expect(try await values("heart-rate", own, in: .owner) == [63])
        // Another identity of the same name is another source.
        let later = HealthView(of: HealthSource(name: "run-log", number: "3"), readable: [])
        #expect(try await values("heart-rate", in: later) == [])
    }

    @Test func `only the source or the owner removes an object`() async throws {
        let saved = try await store.save([Fixture.sample("steps", 10, ago: 1)], by: Fixture.run)
        let id = saved[0].id
        #expect(
            await refusal { try await store.remove(id, by: Fixture.pulse) } == .notFound)
        #expect(try await store.type(of: id, by: Fixture.run).description == "steps")
        try await store.remove(id, by: Fixture.run)
        #expect(await refusal { try await store.remove(id, by: nil) } == .notFound)
        let second = try await store.save([Fixture.sample("steps", 10)], by: Fixture.run)[0].id
        try await store.remove(second, by: nil)
        #expect(try await store.counts().isEmpty)
    }

    // MARK: - Workouts

    @Test func `a workout is stored with its samples, which count as its totals`() async throws {
        let saved = try await store.save(
            Fixture.workout([
                Fixture.sample("distance-walking-running", 5.2, unit: "km"),
                Fixture.sample("steps", 4000, ago: 1860), Fixture.sample("steps", 2100, ago: 900),
                Fixture.sample("flights-climbed", 12),
                Fixture.sample("heart-rate", 131, ago: 500),
            ]), by: Fixture.run)
        #expect(saved.object.type == .workout)
        #expect(saved.samples.allSatisfy { $0.parent?.id == saved.object.id })
        #expect(saved.distance == 5200)
        #expect(saved.floors == 12)
        #expect(saved.totals[try Fixture.type("steps")] == 6100)
        #expect(saved.totals[try Fixture.type("heart-rate")] == nil)
        // A total lasts as long as the workout, a heart rate is of a moment.
        let (start, end) = (saved.object.start, saved.object.end)
        for sample in saved.samples where sample.type.isTotal {
            #expect(sample.end == end)
        }
        #expect(saved.samples.first?.start == start)
        #expect(saved.samples.last.map { $0.start == $0.end } == true)
        // They are samples like others, too.
        #expect(try await values("steps") == [2100, 4000])
    }

    @Test func `a sample that is refused leaves neither its workout nor the other samples`()
        async throws
    {
        let outside = [
            try Fixture.sample("steps", 10, ago: 1861),
            try Fixture.sample("heart-rate", 60, ago: 59),
            try Fixture.sample("heart-rate", 60, unit: "m"),
            try Fixture.sample("heart-rate", 60, key: "own"),
        ]
        for bad in outside {
            let draft = try Fixture.workout([Fixture.sample("steps", 5), bad])
            let code = await refusal { _ = try await store.save(draft, by: Fixture.run) }
            #expect(code == .invalid || code == .unitMismatch)
        }
        #expect(try await store.counts().isEmpty)
    }

    @Test func `no sample exists without the workout that it belongs to`() async throws {
        let saved = try await store.save(
            Fixture.workout([Fixture.sample("steps", 5)]), by: Fixture.run)
        let queue = try DatabaseQueue(path: fixture.path)
        // The schema refuses a sample whose workout does not exist: the parent comes first.
        let refused = await #expect(throws: DatabaseError.self) {
            try await queue.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO object (id, type, start, end, parent, creator, saved, sealed)
                        VALUES ('x', 'steps', 0, 0, 999, '', 0, x'00')
                        """)
            }
        }
        #expect(refused?.resultCode == .SQLITE_CONSTRAINT)
        try queue.close()
        try await store.remove(saved.object.id, by: Fixture.run)
        #expect(try await store.counts().isEmpty)
    }

    @Test func `a limit that is reached within a workout stores nothing of it`() async throws {
        let store = try fixture.open(limit: 3)
        let draft = try Fixture.workout([
            Fixture.sample("steps", 5), Fixture.sample("flights-climbed", 1),
            Fixture.sample("heart-rate", 99),
        ])
        #expect(await refusal { _ = try await store.save(draft, by: Fixture.run) } == .full)
        #expect(try await store.counts().isEmpty)
        let three = try (1...3).map { try Fixture.sample("steps", Double($0), ago: Int64($0)) }
        #expect(try await store.save(three, by: Fixture.run).count == 3)
        #expect(await refusal { _ = try await store.save([three[0]], by: Fixture.run) } == .full)
        // The limit is that of one source.
        #expect(try await store.save([three[0]], by: Fixture.pulse).count == 1)
    }

    @Test func `a workout shows another app the samples that it may read`() async throws {
        let saved = try await store.save(
            Fixture.workout([Fixture.sample("steps", 6100), Fixture.sample("heart-rate", 131)]),
            by: Fixture.run)
        let shared = try view(of: Fixture.pulse, "workout", "heart-rate")
        let seen = try await store.group(saved.object.id, of: .workout, in: shared)
        #expect(seen.samples.map(\.type.description) == ["heart-rate"])
        #expect(seen.totals.isEmpty)
        let without = try view(of: Fixture.pulse, "steps")
        #expect(
            await refusal {
                _ = try await store.group(saved.object.id, of: .workout, in: without)
            } == .notFound)
        // Its source sees all of it, also without a permission to read.
        let own = HealthView(of: Fixture.run, readable: [])
        let mine = try await store.group(saved.object.id, of: .workout, in: own)
        #expect(mine.samples.count == 2)
    }

    @Test func `workouts are listed newest first, by activity and in pages`() async throws {
        for index in 0..<12 as Range<Int64> {
            _ = try await store.save(
                Fixture.workout(
                    [], endedAgo: index * 3600, index.isMultiple(of: 3) ? .cycling : .running),
                by: Fixture.run)
        }
        var query = HealthQuery(limit: 5)
        query.activity = .running
        let first = try await store.groups(
            of: .workout, query, in: .owner, withSamples: false)
        #expect(first.items.count == 5)
        query.cursor = first.next
        let second = try await store.groups(of: .workout, query, in: .owner, withSamples: false)
        let starts = (first.items + second.items).map(\.object.start)
        #expect(starts.count == 8)
        #expect(starts == starts.sorted(by: >))
        #expect(second.next == nil)
    }

    @Test func `the duration of a workout is at most its length`() async throws {
        for (active, isValid) in [
            (Duration.seconds(1800), true), (.seconds(0), true), (.seconds(-1), false),
            (.milliseconds(1_800_002), false),
        ] {
            let draft = HealthGroupDraft(
                .workout(
                    .rowing, start: Fixture.ago(1800), end: Fixture.ago(0), active: active),
                samples: [])
            let code = await refusal { _ = try await store.save(draft, by: nil) }
            #expect(code == (isValid ? nil : .invalid))
        }
    }

    // MARK: - Correlations

    @Test func `a blood pressure has one systolic and one diastolic sample`() async throws {
        func draft(_ samples: [HealthSampleDraft]) -> HealthGroupDraft {
            HealthGroupDraft(.correlation(.bloodPressure, start: nil), samples: samples)
        }
        let systolic = try Fixture.sample("blood-pressure-systolic", 16, unit: "kPa")
        let diastolic = try Fixture.sample("blood-pressure-diastolic", 80)
        for wrong in [[systolic], [systolic, systolic], [systolic, diastolic, diastolic], []] {
            #expect(await refusal { _ = try await store.save(draft(wrong), by: nil) } == .invalid)
        }
        _ = try await store.save(draft([systolic, diastolic]), by: Fixture.run)
        let half = try view(of: Fixture.pulse, "blood-pressure-systolic")
        let whole = try view(
            of: Fixture.pulse, "blood-pressure-systolic", "blood-pressure-diastolic")
        func count(_ view: HealthView) async throws -> Int {
            try await store.groups(
                of: .bloodPressure, HealthQuery(), in: view, withSamples: true
            ).items.first?.samples.count ?? 0
        }
        #expect(try await count(half) == 0)
        #expect(try await count(whole) == 2)
        #expect(try await count(HealthView(of: Fixture.run, readable: [])) == 2)
    }

    @Test func `a correlation does not remain without one of its parts`() async throws {
        let draft = HealthGroupDraft(
            .correlation(.bloodPressure, start: nil),
            samples: [
                try Fixture.sample("blood-pressure-systolic", 120),
                try Fixture.sample("blood-pressure-diastolic", 80),
            ])
        let saved = try await store.save(draft, by: Fixture.run)
        for part in saved.samples {
            #expect(
                await refusal { try await store.remove(part.id, by: Fixture.run) } == .invalid)
        }
        let type = try Fixture.type("blood-pressure-diastolic")
        #expect(try await store.removeAll(HealthFilter(type: type)) == 3)
        #expect(try await store.counts().isEmpty)
    }

    // MARK: - Keys

    @Test func `what is saved again with its key is stored once`() async throws {
        let sample = try Fixture.sample("body-mass", 70, ago: 5, key: "morning")
        let first = try await store.save([sample], by: Fixture.run)
        #expect(try await store.save([sample, sample], by: Fixture.run) == first + first)
        let draft = try Fixture.workout([Fixture.sample("steps", 5)], key: "lunch")
        let workout = try await store.save(draft, by: Fixture.run)
        #expect(try await store.save(draft, by: Fixture.run) == workout)
        // Of another source it is another object.
        #expect(try await store.save([sample], by: Fixture.pulse) != first)
        #expect(try await store.counts().map(\.count) == [1, 1, 1, 1])
        for other in [
            try Fixture.workout([Fixture.sample("steps", 6)], key: "lunch"),
            Fixture.workout([], key: "lunch"),
            try Fixture.workout([Fixture.sample("steps", 5)], .cycling, key: "lunch"),
        ] {
            #expect(
                await refusal { _ = try await store.save(other, by: Fixture.run) } == .keyReused)
        }
    }

    // MARK: - Characteristics

    @Test func `characteristics are set, replaced and removed`() async throws {
        #expect(try await store.characteristic(.dateOfBirth) == nil)
        try await store.set(.dateOfBirth, to: .text("1984-02-29"))
        #expect(try await store.characteristic(.dateOfBirth) == .text("1984-02-29"))
        let height = try Fixture.type("height")
        try await store.set(height, to: .number(178), unit: "cm")
        #expect(try await store.characteristic(height) == .number(1.78))
        try await store.set(.dateOfBirth, to: nil)
        #expect(try await store.characteristic(.dateOfBirth) == nil)
    }

    @Test(arguments: [
        ("date-of-birth", "1983-02-29"), ("date-of-birth", "29.2.1984"), ("date-of-birth", ""),
        ("date-of-birth", "1899-12-31"), ("sex", "f"), ("height", "tall"), ("steps", "1"),
        ("sleep", "asleep"),
    ])
    func `an invalid characteristic is refused`(type: String, value: String) async throws {
        let type = try Fixture.type(type)
        #expect(await refusal { try await store.set(type, to: .text(value)) } == .invalid)
    }

    // MARK: - Removing

    @Test func `the owner removes by type, app and time`() async throws {
        let later = try Fixture.sample("steps", 2, ago: 10)
        let earlier = try Fixture.sample("steps", 1, ago: 1000)
        let pulse = try Fixture.sample("heart-rate", 60, ago: 10)
        func removed(_ filter: HealthFilter) async throws -> Int {
            _ = try await store.removeAll(HealthFilter(), andCharacteristics: true)
            _ = try await store.save([later, earlier, pulse], by: Fixture.run)
            _ = try await store.save([later], by: Fixture.pulse)
            return try await store.removeAll(filter)
        }
        let steps = try Fixture.type("steps")
        #expect(try await removed(HealthFilter(type: steps)) == 3)
        #expect(try await removed(HealthFilter(type: steps, app: "run-log")) == 2)
        #expect(try await removed(HealthFilter(app: "pulse")) == 1)
        let range = TimeRange(from: .distantPast, to: Fixture.ago(500))
        #expect(try await removed(HealthFilter(range: range)) == 1)
        #expect(try await removed(HealthFilter()) == 4)
        _ = try await store.save(
            Fixture.workout([Fixture.sample("steps", 5), Fixture.sample("heart-rate", 60)]), by: nil
        )
        #expect(try await store.removeAll(HealthFilter(type: .workout)) == 3)
    }
}
