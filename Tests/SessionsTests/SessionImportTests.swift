import Samples
import Sessions
import Testing
import Tracks

struct SessionImportTests {
    private let fixture: SessionBookFixture

    init() throws {
        fixture = try SessionBookFixture()
    }

    @Test
    func `a workout becomes a finished session with its route, also after a restart`()
        async throws
    {
        let workout = try SessionBookFixture.workout("ridge")
        var book: SessionBook? = try fixture.open()
        let made = try await book?.add([workout])
        #expect(made?.made.map(\.session.id) == ["ridge"])
        book = nil
        let again = try fixture.open()
        #expect(again.setAside == nil)
        let record = try await again.record("ridge")
        #expect(record == made?.made.first)
        #expect(record.isImported)
        #expect(record.session.isFinished)
        #expect(record.session.draft == workout.draft)
        #expect(record.session.spans == workout.spans)
        #expect(try await again.importedRoute(of: "ridge") == workout.route)
    }

    @Test func `existing sessions are not changed by an import`() async throws {
        let book = try fixture.open()
        _ = try await book.create(try SessionBookFixture.draft(), id: "walk")
        _ = try await book.add([try SessionBookFixture.workout("ridge")])
        let before = try await book.page(limit: 10).records
        let imports = try await book.add([
            try SessionBookFixture.workout("walk"), try SessionBookFixture.workout("new"),
            try SessionBookFixture.workout("ridge", name: "Other"),
        ])
        #expect(imports.made.map(\.session.id) == ["new"])
        #expect(imports.known == ["walk", "ridge"])
        let after = try await book.page(limit: 10).records
        #expect(after.filter { $0.session.id != "new" } == before)
        #expect(await refusal { _ = try await book.importedRoute(of: "walk") } == .notFound)
    }

    @Test func `an entered length permanently replaces the imported points`()
        async throws
    {
        let book = try fixture.open()
        _ = try await book.add([try SessionBookFixture.workout("ridge")])
        _ = try await book.update("ridge", SessionChange(distance: 4200))
        let route = try await book.importedRoute(of: "ridge")
        #expect(route.points.isEmpty)
        #expect((route.distance, route.source) == (4200, .manual))
        #expect(try fixture.count(of: "session_point") == 0)
    }

    @Test func `a workout whose length was entered keeps it`() async throws {
        let span = TimeRange(from: SessionBookFixture.start, to: SessionBookFixture.start)
        let workout = try Workout(
            id: "entered", try SessionBookFixture.draft(), spans: [span],
            route: RouteRecord(segments: [], distance: 1500, source: .manual))
        let book = try fixture.open()
        #expect(try await book.add([workout]).made.first?.enteredDistance == 1500)
        #expect(try await book.importedRoute(of: "entered") == workout.route)
        try await book.remove("entered")
        #expect(try await book.page(limit: 10).records.isEmpty)
    }
}
