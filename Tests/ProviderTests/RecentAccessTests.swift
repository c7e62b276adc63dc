import Auth
import Foundation
import Samples
import TestSupport
import Testing

@testable import Provider

/// The summary of the access log that streams of the owner share.
@Suite(.timeLimit(.minutes(5)))
struct RecentAccessTests {
    private static let cpu = AccessRequest("latest", of: "cpu", .raw)

    private static func with(
        _ body: (RecentAccess, ManualTime, _ read: () async throws -> Void) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "recent-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let time = ManualTime(at: Timestamp(microseconds: 1_800_000_000_000_000))
        let authority = try await Authority(
            path: folder.path(percentEncoded: false) + "/permissions.sqlite", time: time)
        let token = try await authority.createClient("curl", isOwner: false, expires: nil)
        try await authority.decide(
            .allowAlways, on: PrivilegeID.sensor("cpu", .raw), by: "curl")
        try await body(RecentAccess(authority.log, time: time), time) {
            let grant = try await authority.checkApp(
                token: token.text, name: nil, requested: cpu)
            try await authority.log.record("latest", .raw, for: grant, range: nil, count: 7)
        }
    }

    @Test func `twenty streams share one summary, which is renewed once a minute`() async throws {
        try await Self.with { recent, time, read in
            var watches: [AsyncStream<Void>.AsyncIterator] = []
            for _ in 0..<20 { watches.append(await recent.watch().changes.makeAsyncIterator()) }
            for index in watches.indices { await watches[index].next() }
            await time.waitForSleepers(1)
            #expect(await recent.summary == Data(#"{"items":[]}"#.utf8))
            try await read()
            await time.run(for: .seconds(59))
            // One that joins gets the summary of this minute, too.
            let (changes, late) = await recent.watch()
            var last = changes.makeAsyncIterator()
            await last.next()
            #expect(await recent.summary == Data(#"{"items":[]}"#.utf8))
            await recent.unwatch(late)
            #expect(await last.next() == nil)
            await time.run(for: .seconds(1))
            for index in watches.indices { await watches[index].next() }
            let summary = String(decoding: await recent.summary ?? Data(), as: UTF8.self)
            #expect(summary.contains(#""client":"curl""#) && summary.contains(#""samples":7"#))
        }
    }

    @Test func `no summary is computed without a watcher`() async throws {
        try await Self.with { recent, time, read in
            let (changes, watcher) = await recent.watch()
            var watch = changes.makeAsyncIterator()
            await watch.next()
            await time.waitForSleepers(1)
            await recent.unwatch(watcher)
            try await read()
            await time.run(for: .seconds(60), leaving: 0)
            #expect(await recent.summary == Data(#"{"items":[]}"#.utf8))
            // The next one sees what happened meanwhile.
            var again = await recent.watch().changes.makeAsyncIterator()
            repeat {
                await again.next()
            } while await recent.summary == Data(#"{"items":[]}"#.utf8)
            let summary = String(decoding: await recent.summary ?? Data(), as: UTF8.self)
            #expect(summary.contains(#""samples":7"#))
        }
    }
}
