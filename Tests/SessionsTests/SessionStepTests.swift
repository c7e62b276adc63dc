import Sessions
import Testing

struct SessionStepTests {
    /// The steps that lead to each state.
    private static let ways: [(state: String, steps: [SessionStep])] = [
        ("new", []), ("active", [.start]), ("paused", [.start, .pause]),
        ("resumed", [.start, .pause, .resume]), ("finished", [.start, .finish]),
    ]
    private static let allowed: [String: [SessionStep: SessionState]] = [
        "new": [.start: .active], "active": [.pause: .paused, .finish: .inactive],
        "paused": [.resume: .active, .finish: .inactive],
        "resumed": [.pause: .paused, .finish: .inactive], "finished": [:],
    ]

    @Test(arguments: ways, SessionStep.allCases)
    func `the state accepts or rejects each step, and a rejected step changes nothing`(
        way: (state: String, steps: [SessionStep]), step: SessionStep
    ) async throws {
        let fixture = try SessionBookFixture()
        let book = try fixture.open()
        _ = try await book.create(try SessionBookFixture.draft(), id: "trip")
        for step in way.steps { _ = try await book.apply(step, to: "trip") }
        let before = try await book.record("trip")
        let wanted = Self.allowed[way.state]?[step]
        let code = await refusal { _ = try await book.apply(step, to: "trip") }
        #expect(code == (wanted == nil ? .wrongState : nil))
        let after = try await book.record("trip")
        if let wanted {
            #expect(after.session.state == wanted)
            #expect(after.events.map(\.step) == way.steps + [step])
            #expect(after.session.isFinished == (step == .finish))
        } else {
            #expect(after == before)
        }
    }
}
