import Addresses
import Foundation
import Samples
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Egress

struct OutboxTests {
    private static let down = Reply.failure(
        EgressError(.unreachable, "https://trips.example cannot be reached."))
    /// 2026-03-01T12:00:00Z.
    private static let start = Timestamp(microseconds: 1_772_366_400_000_000)

    private let folder: ScratchFolder
    private let noted = RecordedAttempts()

    init() throws { folder = try ScratchFolder() }

    private static func upload(
        to text: String = "https://trips.example/reports", _ body: String = "{}",
        tokenFile: String? = nil
    ) throws -> Upload {
        try Upload(
            to: #require(WebAddress(text)), title: "Lunch walk (geojson)",
            mediaType: "application/geo+json", body: Array(body.utf8), tokenFile: tokenFile)
    }

    private func open(
        _ uploader: ScriptedUploader
    ) throws -> Outbox {
        try Outbox(
            folder: folder.path + "/outbox", uploader: uploader, time: ManualTime(at: Self.start),
            recording: noted.note)
    }

    /// An outbox that queued an upload and tried to send it for five hours.
    private func runFiveHours(_ uploader: ScriptedUploader) async throws -> Outbox {
        let time = SteppedTime(
            from: Self.start, until: Self.start.advanced(byMicroseconds: 18_000_000_000))
        let outbox = try Outbox(
            folder: folder.path + "/outbox", uploader: uploader, time: time
        ) { _, _ in }
        _ = try await outbox.send(Self.upload(), keeps: true)
        await outbox.run()
        return outbox
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/outbox").sorted()
    }

    /// The queued uploads by their sensor and hours; `nil` is an upload of an earlier version.
    @Test(
        arguments: [
            ("steps", 0, 24, ["location 1-2", "location.phone 5-6", "nil"]),
            ("location", 0, 24, ["steps 1-2"]),
            ("location", 3, 4, ["location 1-2", "location.phone 5-6", "steps 1-2"]),
            ("location", 1, 2, ["location.phone 5-6", "steps 1-2"]),
            ("location.phone", 5, 6, ["location 1-2", "steps 1-2"]),
            ("location.phone", 0, 24, ["steps 1-2"]),
        ] as [(SensorID, Int64, Int64, [String])])
    func `uploads with forgotten samples are not sent, also not after a restart`(
        sensor: SensorID, from: Int64, to: Int64, left: [String]
    ) async throws {
        func range(_ from: Int64, _ to: Int64) -> TimeRange {
            let hour: Int64 = 3_600_000_000
            return TimeRange(
                from: Timestamp(microseconds: from * hour), to: Timestamp(microseconds: to * hour))
        }
        var outbox = try open(ScriptedUploader([Self.down, Self.down, Self.down, Self.down]))
        for (id, from, to) in [
            ("location", 1, 2), ("location.phone", 5, 6), ("steps", 1, 2), ("nil", 0, 0),
        ] as [(SensorID, Int64, Int64)] {
            let upload = try Upload(
                to: #require(WebAddress("https://trips.example/")),
                title: id == "nil" ? "nil" : "\(id) \(from)-\(to)", mediaType: "text/csv",
                body: [1],
                sensors: [id], range: range(from, to))
            _ = try await outbox.send(upload, keeps: true)
        }
        for name in try names() where name.hasSuffix(".json") {
            let path = folder.path + "/outbox/" + name
            let data = try #require(FileManager.default.contents(atPath: path))
            var record = try #require(
                try JSONSerialization.jsonObject(with: data) as? [String: Any])
            guard record["title"] as? String == "nil" else { continue }
            for member in ["sensors", "from", "to"] { record[member] = nil }
            try JSONSerialization.data(withJSONObject: record).write(
                to: URL(filePath: path))
        }
        outbox = try open(ScriptedUploader([]))
        #expect(await outbox.discard(sensor, range(from, to)) == 4 - left.count)
        for outbox in [outbox, try open(ScriptedUploader([]))] {
            #expect(Set(await outbox.queued.map(\.title)) == Set(left))
        }
        #expect(try names().count == 2 * left.count)
    }

    @Test func `a delivered upload is not stored`() async throws {
        let uploader = ScriptedUploader([.success(201)])
        let outbox = try open(uploader)
        #expect(try await outbox.send(Self.upload(), keeps: true) == .delivered(status: 201))
        #expect(uploader.attempts.map(\.body) == [Array("{}".utf8)])
        #expect(noted.all == ["https://trips.example 2"])
        #expect(try names().isEmpty)
        #expect(await outbox.queued.isEmpty)
    }

    @Test func `an upload is delivered when the server is back, also after a restart`()
        async throws
    {
        let uploader = ScriptedUploader([Self.down, .success(503), .success(200)])
        let first = try open(uploader)
        guard case .kept(let kept) = try await first.send(Self.upload(), keeps: true) else {
            Issue.record("the upload was not queued")
            return
        }
        #expect(kept.state == .waiting)
        #expect(kept.attempts == 1)
        #expect(kept.problem == "https://trips.example cannot be reached.")
        #expect(kept.next == Self.start.advanced(byMicroseconds: 60_000_000))

        let second = try open(uploader)
        #expect(await second.queued == [kept])
        guard case .kept(let again) = try await second.retry(kept.id) else {
            Issue.record("the upload was not queued")
            return
        }
        #expect(again.attempts == 2)
        #expect(again.next == Self.start.advanced(byMicroseconds: 120_000_000))
        #expect(try await second.retry(kept.id) == .delivered(status: 200))
        #expect(try names().isEmpty)
        // The server can recognise the repetition.
        #expect(Set(uploader.attempts.map(\.id)) == [kept.id])
        #expect(Set(uploader.attempts.map(\.body)) == [Array("{}".utf8)])
    }

    @Test func `the owner chooses whether a failed upload is kept`() async throws {
        let outbox = try open(ScriptedUploader([Self.down]))
        await #expect { _ = try await outbox.send(Self.upload(), keeps: false) } throws: {
            ($0 as? OutboxError)?.code == .notDelivered
        }
        #expect(try names().isEmpty)
        _ = try await outbox.send(Self.upload(), keeps: true)
        let kept = try #require(await outbox.queued.first)
        try await outbox.discard(kept.id)
        #expect(try names().isEmpty)
        await #expect { _ = try await outbox.retry(kept.id) } throws: {
            ($0 as? OutboxError)?.code == .notFound
        }
    }

    @Test(arguments: [
        (Reply.failure(EgressError(.timedOut, "It is late.")), QueuedUpload.State.waiting),
        (.success(500), .waiting),
        (.success(503), .waiting), (.success(429), .waiting), (.success(408), .waiting),
        (.success(400), .refused), (.success(401), .refused), (.success(302), .refused),
        (.success(404), .refused), (.success(101), .refused),
    ])
    fileprivate func `the status of a response decides the outcome`(
        reply: Reply, state: QueuedUpload.State
    ) async throws {
        let outbox = try open(ScriptedUploader([reply]))
        _ = try await outbox.send(Self.upload(), keeps: true)
        let kept = try #require(await outbox.queued.first)
        #expect(kept.state == state)
        #expect((kept.next != nil) == (state == .waiting))
        #expect(!kept.problem.isEmpty)
    }

    @Test
    func `a queued upload is retried after a minute, then at growing intervals up to an hour`()
        async throws
    {
        let uploader = ScriptedUploader([Self.down])
        let outbox = try await runFiveHours(uploader)
        let due = [60, 180, 420, 900, 1860, 3780, 7380, 10980, 14580]
        let kept = try #require(await outbox.queued.first)
        #expect(kept.attempts == due.count + 1)
        #expect(uploader.attempts.count == due.count + 1)
    }

    @Test func `a refused upload waits for the owner`() async throws {
        let uploader = ScriptedUploader([.success(400)])
        _ = try await runFiveHours(uploader)
        #expect(uploader.attempts.count == 1)
    }

    @Test func `queued bytes are unchanged and only readable by the owner`()
        async throws
    {
        let body = String(decoding: (0..<4096).map { UInt8($0 & 0x7F) }, as: UTF8.self)
        let uploader = ScriptedUploader([Self.down, .success(200)])
        let outbox = try open(uploader)
        _ = try await outbox.send(Self.upload(body), keeps: true)
        let kept = try #require(await outbox.queued.first)
        for name in try names() {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: "\(folder.path)/outbox/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        _ = try await open(uploader).retry(kept.id)
        #expect(uploader.attempts.map(\.body) == [Array(body.utf8), Array(body.utf8)])
    }

    @Test func `a changed file is not sent, and a damaged one is not removed`()
        async throws
    {
        let uploader = ScriptedUploader([Self.down])
        let outbox = try open(uploader)
        for _ in 0..<2 { _ = try await outbox.send(Self.upload(), keeps: true) }
        let ids = await outbox.queued.map(\.id)
        let path = "\(folder.path)/outbox/"
        try Data("{".utf8).write(to: URL(filePath: path + "\(ids[0]).json"))
        try Data("{} ".utf8).write(to: URL(filePath: path + "\(ids[1]).body"))
        for name in ["0123456789abcdef.body", "0123456789abcdef.json.new-1"] {
            try Data("left".utf8).write(to: URL(filePath: path + name))
        }
        let next = try open(uploader)
        #expect(await next.queued.map(\.id) == [ids[1]])
        await #expect { _ = try await next.retry(ids[1]) } throws: {
            ($0 as? OutboxError)?.code == .storeFailed
        }
        #expect(uploader.attempts.count == 2)
        let expected = [ids[0], ids[1]].flatMap { ["\($0).body", "\($0).json"] }.sorted()
        #expect(try names() == expected)
    }

    @Test func `a token is read at each attempt, and an unreadable one is reported`() async throws {
        let file = folder.path + "/token"
        try Data("first\n".utf8).write(to: URL(filePath: file))
        let uploader = ScriptedUploader([Self.down])
        let outbox = try open(uploader)
        _ = try await outbox.send(Self.upload(tokenFile: file), keeps: true)
        let kept = try #require(await outbox.queued.first)
        try Data("second\n".utf8).write(to: URL(filePath: file))
        _ = try await outbox.retry(kept.id)
        #expect(uploader.attempts.map(\.token) == ["first", "second"])
        try FileManager.default.removeItem(atPath: file)
        _ = try await outbox.retry(kept.id)
        #expect(uploader.attempts.count == 2)
        #expect(await outbox.queued.first?.problem.contains(file) == true)
    }

    @Test(arguments: [
        ("https://trips.example/a", true), ("http://127.0.0.1:8000/a", true),
        ("http://[::1]:8000/a", true), ("http://localhost/a", true),
        ("http://trips.example/a", false), ("http://192.168.1.2/a", false),
        ("http://localhost.example/a", false),
    ])
    func `an unencrypted address is rejected`(text: String, isTaken: Bool) throws {
        #expect(((try? Self.upload(to: text)) != nil) == isTaken)
    }

    @Test func `at most 200 uploads are queued`() async throws {
        let outbox = try open(ScriptedUploader([Self.down]))
        for _ in 0..<200 { _ = try await outbox.send(Self.upload(), keeps: true) }
        await #expect { _ = try await outbox.send(Self.upload(), keeps: true) } throws: {
            ($0 as? OutboxError)?.code == .full
        }
        #expect(try names().count == 400)
    }
}

/// The recorded attempts.
private final class RecordedAttempts: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    @Sendable
    func note(_ origin: String, _ bytes: Int) async {
        lines.withLock { $0.append("\(origin) \(bytes)") }
    }
}

/// A clock that advances when a task sleeps, and throws when its end is reached.
private final class SteppedTime: TimeSource {
    private let time: Mutex<Timestamp>
    private let end: Timestamp

    init(from start: Timestamp, until end: Timestamp) {
        time = Mutex(start)
        self.end = end
    }

    func now() -> Timestamp { time.withLock { $0 } }

    func sleep(for duration: Duration) async throws {
        try time.withLock { time in
            time = time.advanced(byMicroseconds: Int64(duration / .microseconds(1)))
            if time > end { throw CancellationError() }
        }
    }
}

/// The result of one attempt.
private typealias Reply = Result<Int, EgressError>

/// A server that answers with a list of replies.
private final class ScriptedUploader: Uploader {
    /// One attempt.
    struct Attempt: Equatable {
        let id: String
        let address: String
        let body: [UInt8]
        let token: String?
    }

    private let state: Mutex<(replies: [Reply], attempts: [Attempt])>

    /// - Parameter replies: one after the other; the last is repeated.
    init(_ replies: [Reply]) { state = Mutex((replies, [])) }

    var attempts: [Attempt] { state.withLock { $0.attempts } }

    func upload(
        _ upload: Upload, id: String, token: String?
    ) async throws(EgressError) -> Int {
        try state.withLock { state in
            let address = upload.address.description
            state.attempts.append(
                Attempt(id: id, address: address, body: upload.body, token: token))
            return state.replies.count > 1 ? state.replies.removeFirst() : state.replies[0]
        }.get()
    }
}

/// A folder for one test.
private final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory
            .appending(path: "outbox-\(UUID().uuidString)").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
