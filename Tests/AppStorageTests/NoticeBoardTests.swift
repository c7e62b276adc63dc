import Samples
import TestSupport
import Testing
import Text

@testable import AppStorage

/// Notices and their limits.
struct NoticeBoardTests {
    private let clock = ManualTime()
    private let board: NoticeBoard

    init() {
        board = NoticeBoard(time: clock)
    }

    private func post(
        _ title: String, body: String? = nil, tag: String? = nil, from app: String = "app",
        unlessVisible: Bool = false
    ) async -> AppStorageError.Code? {
        await refusal {
            let message = try AppMessage(
                app: app, run: "run-1", title: title, body: body, tag: tag)
            try await board.post(message, unlessVisible: unlessVisible)
        }
    }

    /// The notices so far.
    private func posted() async -> [Notice] {
        let (notices, watcher) = await board.watch(after: 0)
        await board.unwatch(watcher)
        return await notices.reduce(into: []) { $0.append($1) }
    }

    private func messages() async -> [AppMessage] {
        await posted().compactMap {
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
    func `a text becomes one escaped line of bounded length`(text: String, shown: String) async {
        #expect(await post(text, body: text) == nil)
        let message = await messages().first
        #expect(message?.title == shown)
        #expect(message?.app == "app")
        #expect(message?.run == "run-1")
        #expect(message?.body?.unicodeScalars.allSatisfy { !$0.isUnsafeToDisplay } == true)
    }

    @Test(arguments: [("", 1), (" \n\t", 1), ("\n", 1 << 20)])
    func `a message without a title is rejected`(text: String, count: Int) async {
        let title = String(repeating: text, count: count)
        #expect(await post(title, body: "body") == .invalidMessage)
        #expect(await posted().isEmpty)
    }

    @Test func `a tag is limited in length`() async {
        #expect(await post("a", tag: String(repeating: "t", count: 64)) == nil)
        #expect(await post("a", tag: String(repeating: "t", count: 65)) == .invalidMessage)
    }

    @Test func `an app sends ten messages a minute, and others are not affected`() async throws {
        for _ in 0..<NoticeBoard.perMinute { #expect(await post("a") == nil) }
        clock.advance(by: .seconds(59))
        let message = try AppMessage(app: "app", run: nil, title: "a", body: nil, tag: nil)
        let error = await #expect(throws: AppStorageError.self) {
            try await board.post(message)
        }
        #expect(error?.code == .tooManyMessages)
        #expect(error?.retryAfter == .seconds(1))
        #expect(await post("a", from: "other") == nil)
        clock.advance(by: .seconds(1))
        #expect(await post("a") == nil)
        #expect(await messages().count == NoticeBoard.perMinute + 2)
    }

    @Test func `refused calls are posted ten times a minute, then one notice that there are more`()
        async
    {
        for _ in 0..<50 { await board.post(refusal: "no", operation: "latest") }
        #expect(await posted().count == NoticeBoard.perMinute + 1)
        clock.advance(by: .seconds(60))
        await board.post(refusal: "no", operation: "latest")
        #expect(await posted().count == NoticeBoard.perMinute + 2)
    }

    @Test func `a message is dropped while a page of the app is visible, for half a minute`()
        async
    {
        await board.setVisible(true, app: "app", run: "page-1")
        #expect(await post("a", unlessVisible: true) == nil)
        #expect(await post("b", from: "other", unlessVisible: true) == nil)
        #expect(await post("c") == nil)
        #expect(await messages().map(\.title) == ["b", "c"])
        clock.advance(by: .seconds(30))
        #expect(await post("d", unlessVisible: true) == nil)
        await board.setVisible(true, app: "app", run: "page-1")
        await board.setVisible(false, app: "app", run: "page-1")
        #expect(await post("e", unlessVisible: true) == nil)
        #expect(await messages().map(\.title) == ["b", "c", "d", "e"])
    }

    @Test func `a watcher that reconnects gets the notices that it missed, of the last hundred`()
        async throws
    {
        for minute in 0..<12 {
            for number in 0..<10 { #expect(await post("\(minute)-\(number)") == nil) }
            clock.advance(by: .seconds(60))
        }
        let all = await posted()
        #expect(all.count == 100)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.id < $1.id })
        let (rest, watcher) = await board.watch(after: all[90].id)
        await board.unwatch(watcher)
        #expect(await rest.reduce(into: []) { $0.append($1) } == Array(all[91...]))
        let (none, other) = await board.watch()
        await board.unwatch(other)
        for await notice in none { Issue.record("\(notice)") }
    }
}
