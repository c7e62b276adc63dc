import Testing
import Text

@testable import Auth

/// What the person is told at once, and how much of it.
struct NoticeTests {
    private let registry: Registry
    private let authority: Authority
    private let client = Client(name: "app", kind: .app, run: "run-1")

    init() async throws {
        registry = try Registry()
        authority = try await registry.open()
        try await authority.admit(app: "app")
    }

    private func tell(
        _ title: String, body: String? = nil, tag: String? = nil, from client: Client? = nil
    ) async -> AuthError.Code? {
        await refusal {
            try await authority.tell(
                title: title, body: body, tag: tag, from: client ?? self.client)
        }
    }

    /// Everything that was told until now.
    private func told() async -> [Notice] {
        let (notices, watcher) = await authority.noticeBoard.watch(after: 0)
        await authority.noticeBoard.unwatch(watcher)
        return await notices.reduce(into: []) { $0.append($1) }
    }

    private func messages() async -> [AppMessage] {
        await told().compactMap {
            if case .message(let message) = $0.content { message } else { nil }
        }
    }

    @Test(arguments: [
        ("Goal", "Goal"), ("two\nlines\r\n\tand  more ", "two lines and more"),
        ("\u{1b}[2Jx", "\\u{1b}[2Jx"), ("a\u{202e}b", "a\\u{202e}b"), ("a\u{0}b", "a\\u{0}b"),
        ("<b>&amp;", "<b>&amp;"),
        (String(repeating: "x", count: 101), String(repeating: "x", count: 99) + "…"),
        (String(repeating: "\n", count: 100) + "late", "late"),
    ])
    func `a text is one harmless line of bounded length`(text: String, shown: String) async {
        #expect(await tell(text, body: text) == nil)
        let message = await messages().first
        #expect(message?.title == shown)
        #expect(message?.app == "app")
        #expect(message?.run == "run-1")
        #expect(message?.body?.unicodeScalars.allSatisfy { !$0.isUnsafeToDisplay } == true)
    }

    @Test(arguments: ["", " \n\t", String(repeating: "\n", count: 1 << 20)])
    func `a message without a title is none`(title: String) async {
        #expect(await tell(title, body: "body") == .invalidMessage)
        #expect(await told().isEmpty)
    }

    @Test func `a tag has a bound`() async {
        #expect(await tell("a", tag: String(repeating: "t", count: 64)) == nil)
        #expect(await tell("a", tag: String(repeating: "t", count: 65)) == .invalidMessage)
    }

    @Test func `an app says so much in a minute, and others are not held up by it`() async throws {
        try await authority.admit(app: "other")
        for _ in 0..<NoticeBoard.perMinute { #expect(await tell("a") == nil) }
        registry.clock.advance(.seconds(59))
        let error = await #expect(throws: AuthError.self) {
            try await authority.tell(title: "a", body: nil, tag: nil, from: client)
        }
        #expect(error?.code == .tooManyMessages)
        #expect(error?.retryAfter == .seconds(1))
        #expect(await tell("a", from: Client(name: "other", kind: .app, run: nil)) == nil)
        registry.clock.advance(.seconds(1))
        #expect(await tell("a") == nil)
        #expect(await messages().count == NoticeBoard.perMinute + 2)
    }

    @Test
    func `refused calls without a token are told ten times a minute, then that there are more`()
        async throws
    {
        for _ in 0..<50 {
            _ = await refusal { _ = try await authority.identify(token: nil, name: nil) }
        }
        #expect(await told().count == NoticeBoard.perMinute + 1)
        registry.clock.advance(.seconds(60))
        _ = await refusal { _ = try await authority.identify(token: nil, name: nil) }
        #expect(await told().count == NoticeBoard.perMinute + 2)
        // Every one of them is in the log.
        let lines = try await authority.log.entries(AccessLogQuery(kind: .notice))
        #expect(lines.reduce(0) { $0 + $1.calls } == 51)
    }

    @Test func `who comes back gets what it missed, of the last hundred`() async throws {
        for minute in 0..<12 {
            for number in 0..<10 { #expect(await tell("\(minute)-\(number)") == nil) }
            registry.clock.advance(.seconds(60))
        }
        let all = await told()
        #expect(all.count == 100)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.id < $1.id })
        let (rest, watcher) = await authority.noticeBoard.watch(after: all[90].id)
        await authority.noticeBoard.unwatch(watcher)
        #expect(await rest.reduce(into: []) { $0.append($1) } == Array(all[91...]))
        let (none, other) = await authority.noticeBoard.watch()
        await authority.noticeBoard.unwatch(other)
        for await notice in none { Issue.record("\(notice)") }
    }
}
