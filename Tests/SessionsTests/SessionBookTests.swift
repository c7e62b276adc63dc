import Foundation
import Samples
import Sessions
import Testing

struct SessionBookTests {
    private let fixture: SessionBookFixture

    init() throws {
        fixture = try SessionBookFixture()
    }

    @Test func `a scope contains the sessions of its creator and no others, also after a restart`()
        async throws
    {
        let creators = ["one", "two"].map { SessionCreator(name: "app", number: $0) }
        var book = try fixture.open()
        for (id, creator) in [("a", creators[0]), ("b", creators[1]), ("c", nil)] {
            fixture.wait(1)
            _ = try await book.create(try SessionBookFixture.draft(), id: id, by: creator)
        }
        book = try fixture.open()
        for (scope, ids) in [
            (SessionScope.all, ["c", "b", "a"]), (.created(creators[0]), ["a"]),
            (.created(creators[1]), ["b"]),
        ] {
            #expect(try await book.page(limit: 10, in: scope).records.map(\.session.id) == ids)
            for id in ["a", "b", "c"] where !ids.contains(id) {
                for use in [
                    { _ = try await book.record(id, in: scope) },
                    { _ = try await book.apply(.start, to: id, in: scope) },
                    { _ = try await book.update(id, SessionChange(name: "x"), in: scope) },
                    { try await book.remove(id, in: scope) },
                ] as [() async throws -> Void] {
                    let error = await #expect(throws: SessionsError.self) { try await use() }
                    #expect(error?.code == .notFound)
                }
            }
        }
        #expect(try await book.record("a").creator == creators[0])
    }

    @Test func `created and changed sessions are the same after a restart`() async throws {
        var book: SessionBook? = try fixture.open()
        let made = try await book?.create(
            try SessionBookFixture.draft(
                "Lunch 🏃 walk", ["location", "accelerometer.left", "steps"]))
        let id = try #require(made?.session.id)
        _ = try await book?.update(id, SessionChange(sensors: ["location.phone"]))
        for step in [SessionStep.start, .pause, .resume, .finish] {
            fixture.wait(60)
            _ = try await book?.apply(step, to: id)
        }
        _ = try await book?.update(
            id, SessionChange(name: "A \"new\" name", description: "Line\nbreak", distance: 1234.5))
        let before = try await book?.record(id)
        book = nil
        let again = try fixture.open()
        #expect(again.setAside == nil)
        let after = try await again.record(id)
        #expect(after == before)
        #expect(after.session.name == "A \"new\" name")
        #expect(after.session.description == "Line\nbreak")
        #expect(after.session.sensors == ["location.phone"])
        #expect(after.enteredDistance == 1234.5)
        #expect(after.session.isFinished)
        #expect(
            after.session.spans.map { $0.to.microseconds - $0.from.microseconds }
                == [60_000_000, 60_000_000])
    }

    @Test func `an active session continues after a restart`() async throws {
        var book: SessionBook? = try fixture.open()
        let id = try #require(try await book?.create(try SessionBookFixture.draft()).session.id)
        _ = try await book?.apply(.start, to: id)
        book = nil
        fixture.wait(3600)
        let again = try fixture.open()
        let record = try await again.record(id)
        #expect(record.session.state == .active)
        #expect(record.session.activeSince == SessionBookFixture.start)
        let ended = try await again.apply(.finish, to: id)
        #expect(
            ended.session.spans == [
                TimeRange(
                    from: SessionBookFixture.start,
                    to: SessionBookFixture.start.advanced(byMicroseconds: 3_600_000_000))
            ])
    }

    @Test func `a rejected change has no effect`() async throws {
        let book = try fixture.open()
        let record = try await book.create(try SessionBookFixture.draft(), id: "trip")
        #expect(
            await refusal { _ = try await book.create(record.session.draft, id: "trip") }
                == .nameTaken)
        #expect(
            await refusal { _ = try await book.create(record.session.draft, id: "No") } == .invalid)
        #expect(await refusal { _ = try await book.record("none") } == .notFound)
        #expect(await refusal { _ = try await book.apply(.start, to: "none") } == .notFound)
        #expect(await refusal { _ = try await book.update("none", SessionChange()) } == .notFound)
        #expect(await refusal { try await book.remove("none") } == .notFound)
        for change in [
            SessionChange(name: " "), SessionChange(name: "x", distance: -1),
            SessionChange(name: "x", distance: .nan), SessionChange(name: "x", sensors: []),
            SessionChange(name: "x", sensors: ["a", "a"]),
        ] {
            #expect(await refusal { _ = try await book.update("trip", change) } == .invalid)
        }
        #expect(try await book.record("trip") == record)
        _ = try await book.apply(.start, to: "trip")
        #expect(
            await refusal {
                _ = try await book.update("trip", SessionChange(sensors: ["cpu"]))
            } == .wrongState)
    }

    @Test func `a removed session is gone, and others are kept`() async throws {
        let book = try fixture.open()
        for id in ["one", "two"] {
            _ = try await book.create(try SessionBookFixture.draft(id), id: id)
            _ = try await book.apply(.start, to: id)
        }
        try await book.remove("one")
        #expect(await refusal { _ = try await book.record("one") } == .notFound)
        #expect(try await book.page(limit: 10).records.map(\.session.id) == ["two"])
        // Its identifier can be used again, and nothing of the old session is left.
        let anew = try await book.create(try SessionBookFixture.draft(), id: "one")
        #expect(try await book.record("one") == anew)
    }

    @Test(arguments: [1, 2, 3, 7, 8])
    func `pages contain every session once, the newest first`(limit: Int) async throws {
        let book = try fixture.open()
        for number in 0..<7 {
            _ = try await book.create(try SessionBookFixture.draft(), id: "s\(number)")
            // Some are created at the same time.
            if number % 2 == 0 { fixture.wait(1) }
        }
        var (found, next): ([String], String?) = ([], nil)
        repeat {
            let page = try await book.page(after: next, limit: limit)
            #expect(page.records.count <= limit)
            found += page.records.map(\.session.id)
            next = page.next
        } while next != nil
        #expect(found == ["s6", "s5", "s4", "s3", "s2", "s1", "s0"])
    }

    @Test func `times of steps never decrease, whatever the clock does`() async throws {
        let book = try fixture.open()
        _ = try await book.create(try SessionBookFixture.draft(), id: "trip")
        fixture.wait(10)
        _ = try await book.apply(.start, to: "trip")
        fixture.wait(-3600)
        _ = try await book.apply(.pause, to: "trip")
        fixture.wait(5)
        let record = try await book.apply(.resume, to: "trip")
        #expect(record.events.map(\.time) == Array(repeating: record.events[0].time, count: 3))
        #expect(try await fixture.open().record("trip") == record)
    }

    @Test func `concurrent writers lose nothing`() async throws {
        let book = try fixture.open()
        _ = try await book.create(try SessionBookFixture.draft(), id: "trip")
        let refused = await withTaskGroup(of: SessionsError.Code?.self) { group in
            for _ in 0..<20 {
                group.addTask { await refusal { _ = try await book.apply(.start, to: "trip") } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refused.count { $0 == nil } == 1)
        #expect(refused.count { $0 == .wrongState } == 19)
        #expect(try await book.record("trip").events.map(\.step) == [.start])
    }
}
