import AppRuns
import AppStorage
import Auth
import Foundation
import JSApps
import NIOCore
import Testing
import Text

@testable import Provider

/// Messages of apps, and the stream of notices.
@Suite(.timeLimit(.minutes(10)))
struct NotificationRouteTests {
    private static let path = "/api/v1/notifications"

    private static func notify(_ token: String?, _ json: String) -> Call {
        Call("POST", path, token: token, json: json)
    }

    /// Opens the owner's stream, runs `body` and disconnects.
    private static func follow(
        _ host: ServedHost, after id: String? = nil, token: String? = nil,
        _ body: (EventReader) async throws -> Void
    ) async throws {
        let call = Call(
            "GET", "\(path)/stream", token: token ?? host.owner,
            headers: id.map { [("Last-Event-ID", $0)] } ?? [])
        let bytes = call.bytes(standardHost: "localhost:\(host.port)")
        try await TCPConnection.with(port: host.port) { reader, writer in
            try await writer.write(ByteBuffer(bytes: bytes))
            let events = EventReader(reader)
            await events.read {
                $0.text.contains(": notifications") || $0.text.contains("HTTP/1.1 4")
            }
            try await body(events)
        }
    }

    /// The data of the received events.
    private static func items(_ events: EventReader) throws -> [JSONValue] {
        try events.text.matches(of: /id: \d+\nevent: notification\ndata: ([^\n]*)\n\n/).map {
            try StrictJSON().parse(Array($0.1.utf8))
        }
    }

    private static func ids(_ events: EventReader) -> [String] {
        events.text.matches(of: /id: (\d+)\nevent: notification\n/).map { String($0.1) }
    }

    @Test
    func `an invalid token is denied, with one log entry and one notice`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            let right = try await host.begin().token
            let wrong = String(right.dropLast()) + (right.hasSuffix("A") ? "E" : "A")
            let teller = try await host.client("teller", allow: ["notify"])
            try await Self.follow(host) { events in
                let answer = try await host.send(
                    Call("GET", "/api/v1/sensors/gauge/latest", token: wrong))
                #expect(answer.status == 401)
                // The next event shows that there is no other.
                _ = try await host.send(Self.notify(teller, #"{"title": "last"}"#))
                await events.read { $0.text.contains("last") }
                let items = try Self.items(events)
                #expect(items.map { $0["kind"]?.string } == ["refusal", "message"])
                #expect(items.first?["title"]?.string?.hasPrefix("Unknown token") == true)
                #expect(items.first?["operation"]?.string == "latest")
                #expect(!events.text.contains(wrong))
            }
            let entries = try await host.authority.log.entries(AccessLogQuery(kind: .notice))
            #expect(entries.map(\.calls) == [1])
            #expect(entries.first?.operation == "latest")
        }
    }

    @Test func `a message is delivered with the name of its app, whatever it contains`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install(privileges: #"[{"notify": true, "reason": "Tells you"}]"#)
            try await host.decide(.allowAlways, "notify", by: "my-app")
            let (run, token) = try await host.begin()
            try await Self.follow(host) { events in
                let sent = try await host.send(
                    Self.notify(
                        token, #"{"title": "Nervous: \u001b[2Jupdate", "body": "a\nb", "tag": "t"}"#
                    ))
                #expect(sent.status == 204)
                await events.read { $0.text.contains("event: notification") }
                let item = try #require(try Self.items(events).first)
                #expect(item["app"]?.string == "my-app")
                #expect(item["run"]?.string == run)
                #expect(item["title"]?.string == #"Nervous: \u{1b}[2Jupdate"#)
                #expect(item["body"]?.string == "a b")
                #expect(item["tag"]?.string == "t")
            }
            let entries = try await host.authority.log.entries(AccessLogQuery(client: "my-app"))
            #expect(entries.first { $0.operation == "notify" }?.privilege == "notify")
        }
    }

    @Test func `a client that reconnects misses nothing`() async throws {
        try await ServedHost.with { host in
            let teller = try await host.client("teller", allow: ["notify"])
            var last = "0"
            try await Self.follow(host) { events in
                _ = try await host.send(Self.notify(teller, #"{"title": "first"}"#))
                await events.read { $0.text.contains("first") }
                last = try #require(Self.ids(events).first)
            }
            _ = try await host.send(Self.notify(teller, #"{"title": "second"}"#))
            try await Self.follow(host, after: last) { events in
                await events.read { $0.text.contains("second") }
                #expect(!events.text.contains("first"))
            }
            try await Self.follow(host, after: "x") { events in
                #expect(events.text.contains("HTTP/1.1 400"))
            }
        }
    }

    @Test func `the stream is the owner's, and ends with the token`() async throws {
        try await ServedHost.with(heartbeat: .milliseconds(20)) { host in
            let client = try await host.client("curl", allow: ["notify"])
            try await Self.follow(host, token: client) { events in
                #expect(events.text.contains("HTTP/1.1 403"))
            }
            let desk = try await host.authority.createClient("desk", isOwner: true, expires: nil)
            try await Self.follow(host, token: desk.text) { events in
                await events.read { $0.heartbeats >= 2 }
                try await host.authority.revokeClient("desk")
                await events.read { $0.text.contains("event: problem") }
                #expect(events.text.contains("invalid-token"))
            }
        }
    }

    @Test func `more than ten messages a minute are rate-limited`() async throws {
        try await ServedHost.with { host in
            let teller = try await host.client("teller", allow: ["notify"])
            for _ in 0..<10 {
                #expect(try await host.send(Self.notify(teller, #"{"title": "a"}"#)).status == 204)
            }
            let refused = try await host.send(Self.notify(teller, #"{"title": "a"}"#))
            #expect(refused.status == 429)
            #expect(refused.code == "too-many-messages")
            #expect(refused["retry-after"] == "60")
            host.clock.advance(.seconds(60))
            #expect(try await host.send(Self.notify(teller, #"{"title": "a"}"#)).status == 204)
        }
    }

    @Test(arguments: [
        ("{}", 400), ("[]", 400), (#"{"title": 1}"#, 400), (#"{"title": "a", "icon": "x"}"#, 400),
        (#"{"title": ""}"#, 422), (#"{"title": " \n"}"#, 422),
    ])
    func `an invalid message is rejected`(json: String, status: Int) async throws {
        try await ServedHost.with { host in
            let teller = try await host.client("teller", allow: ["notify"])
            #expect(try await host.send(Self.notify(teller, json)).status == status)
        }
    }

    @Test func `a message without permission is refused, with the W3C name of the error`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install(privileges: #"[{"notify": true, "reason": "Tells you"}]"#)
            let token = try await host.begin().token
            let refused = try await host.send(Self.notify(token, #"{"title": "a"}"#))
            #expect(refused.code == "undecided")
            #expect(try refused.json()["privilege"]?.string == "notify")
            #expect(try await host.send(Self.notify(nil, #"{"title": "a"}"#)).status == 401)
            let (_, lines) = try await host.run(
                "nervous.notify('a').catch((e) => console.log(e.name, e.privilege))")
            #expect(lines == ["NotAllowedError notify"])
        }
    }

    @Test func `messages of an app in the foreground are events of its run`() async throws {
        try await ServedHost.with { host in
            let script =
                "nervous.notify('Goal', { body: 'Reached', tag: 1 }).then(() => console.log('sent'))"
            let bytes = try TestPackage.bytes(
                privileges: #"[{"notify": true, "reason": "Tells you"}]"#, script: script,
                in: host.folder)
            _ = try await host.send(Call("POST", "/api/v1/apps", token: host.owner, body: bytes))
            try await host.decide(.allowAlways, "notify", by: "my-app")
            let other = try await host.client("teller", allow: ["notify"])
            let run = try await host.supervisor.prepare(app: "my-app").id
            _ = try await host.send(Self.notify(other, #"{"title": "another's"}"#))
            let answer = try await host.send(
                Call("POST", "/api/v1/runs/\(run)/start", token: host.owner))
            let events = try answer.text.split(separator: "\n").map {
                try StrictJSON().parse(Array($0.utf8))
            }
            let message = try #require(events.first { $0["event"]?.string == "message" })
            #expect(message["title"]?.string == "Goal")
            #expect(message["text"]?.string == "Reached")
            #expect(!answer.text.contains("another's"))
        }
    }

    private static func view(_ token: String, _ isVisible: Bool) -> Call {
        Call("PUT", "/api/v1/view", token: token, json: #"{"visible": \#(isVisible)}"#)
    }

    private static let event = #"{"title": "Door open", "unlessViewed": true}"#

    @Test func `an event is posted once while no page is visible, and not while one is`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install(privileges: #"[{"notify": true, "reason": "Tells you"}]"#)
            try await host.decide(.allowAlways, "notify", by: "my-app")
            let door = try await host.begin().token
            let page = try await host.begin().token
            let other = try await host.client("other", allow: [])
            try await Self.follow(host) { events in
                func titles() async throws -> [String] {
                    // An unconditional message shows that no other precedes it.
                    let end = try await host.send(Self.notify(door, #"{"title": "end"}"#))
                    #expect(end.status == 204)
                    host.clock.advance(.seconds(1))
                    let count = events.text.ranges(of: #""title":"end""#).count
                    await events.read { $0.text.ranges(of: #""title":"end""#).count > count }
                    return try Self.items(events).compactMap { $0["title"]?.string }
                }
                #expect(try await host.send(Self.notify(door, Self.event)).status == 204)
                #expect(try await titles() == ["Door open", "end"])
                #expect(try await host.send(Self.view(page, true)).status == 204)
                #expect(try await host.send(Self.notify(door, Self.event)).status == 204)
                #expect(try await titles() == ["Door open", "end", "end"])
                // The page is hidden, and a page of another app is visible.
                _ = try await host.send(Self.view(page, false))
                _ = try await host.send(Self.view(other, true))
                _ = try await host.send(Self.notify(door, Self.event))
                #expect(try await titles() == ["Door open", "end", "end", "Door open", "end"])
                // A page that disappears without a report counts for half a minute.
                _ = try await host.send(Self.view(page, true))
                host.clock.advance(.seconds(29))
                _ = try await host.send(Self.notify(door, Self.event))
                #expect(try await titles().count == 6)
                host.clock.advance(.seconds(30))
                _ = try await host.send(Self.notify(door, Self.event))
                #expect(try await titles().suffix(2) == ["Door open", "end"])
                // Setting the clock back does not extend it.
                _ = try await host.send(Self.view(page, true))
                host.clock.advance(.seconds(-3600))
                _ = try await host.send(Self.notify(door, Self.event))
                #expect(try await titles().suffix(2) == ["Door open", "end"])
            }
        }
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func `a run at a terminal posts no events, one in the background does`(
        isForeground: Bool, count: Int
    ) async throws {
        let asked = #"[{"notify": true, "reason": "Tells you"}]"#
        let script = """
            nervous.notify("Door open", { unlessViewed: true }).then(() => console.log("said"));
            """
        try await ServedHost.with { host in
            let bytes = try TestPackage.bytes(
                "demo", privileges: asked, script: script, in: host.folder)
            let installed = try await host.send(
                Call("POST", "/api/v1/apps", token: host.owner, body: bytes))
            #expect(installed.status == 201, "\(installed.text)")
            try await host.decide(.allowAlways, "notify", by: "demo")
            let lines = Lines()
            let run = try await host.supervisor.prepare(app: "demo", isForeground: isForeground).id
            if isForeground {
                _ = try await host.supervisor.run(run) { lines.take($0) }
                #expect(lines.all == ["said"])
            } else {
                try await host.supervisor.runInBackground(run)
                _ = try await host.report(run) { $0.state == .ended }
            }
            let (notices, watcher) = await host.authority.noticeBoard.watch(after: 0)
            await host.authority.noticeBoard.unwatch(watcher)
            let titles = await notices.reduce(into: [String]()) { titles, notice in
                if case .message(let message) = notice.content { titles.append(message.title) }
            }
            #expect(titles == Array(repeating: "Door open", count: count))
        }
    }

    @Test func `nothing is queued for an app without permission`() async throws {
        try await ServedHost.with { host in
            try await host.install(privileges: #"[{"notify": true, "reason": "Tells you"}]"#)
            let token = try await host.begin().token
            for (decision, code) in [(nil, "undecided"), (Decision.deny, "denied")] {
                if let decision { try await host.decide(decision, "notify", by: "my-app") }
                for json in [#"{"title": "Door open"}"#, Self.event] {
                    let answer = try await host.send(Self.notify(token, json))
                    #expect(answer.status == 403)
                    #expect(answer.code == code)
                }
            }
            // Refusals of a privilege are not invalid tokens, which would cause a notice.
            #expect(await host.authority.noticeBoard.last() == 0)
        }
    }
}
