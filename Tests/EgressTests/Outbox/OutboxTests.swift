import Addresses
import Foundation
import Samples
import Synchronization
import Testing

@testable import Egress

struct OutboxTests {
    private static let down = Reply.failed("https://trips.example cannot be reached.")
    /// 2026-03-01T12:00:00Z.
    private static let start = Timestamp(microseconds: 1_772_366_400_000_000)

    private let folder: ScratchFolder
    private let noted = NotedSendings()

    init() throws { folder = try ScratchFolder() }

    private static func parcel(
        to text: String = "https://trips.example/reports", _ body: String = "{}",
        tokenFile: String? = nil
    ) throws -> Parcel {
        try Parcel(
            to: #require(WebAddress(text)), title: "Lunch walk (geojson)",
            mediaType: "application/geo+json", body: Array(body.utf8), tokenFile: tokenFile)
    }

    private func open(
        _ courier: ScriptedCourier, now: @escaping @Sendable () -> Timestamp = { start }
    ) throws -> Outbox {
        try Outbox(folder: folder.path + "/outbox", courier: courier, noting: noted.note, now: now)
    }

    /// One that kept a parcel, and tried to send it for five hours.
    private func runFiveHours(_ courier: ScriptedCourier) async throws -> Outbox {
        let clock = SteppedClock(Self.start)
        let outbox = try Outbox(
            folder: folder.path + "/outbox", courier: courier, noting: { _, _ in },
            now: { clock.now },
            sleep: {
                try clock.pass($0, until: Self.start.advanced(byMicroseconds: 18_000_000_000))
            })
        _ = try await outbox.send(Self.parcel(), keeps: true)
        await outbox.run()
        return outbox
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/outbox").sorted()
    }

    @Test func `E21: what arrives is kept nowhere`() async throws {
        let courier = ScriptedCourier([.answered(201)])
        let outbox = try open(courier)
        #expect(try await outbox.send(Self.parcel(), keeps: true) == .delivered(status: 201))
        #expect(courier.visits.map(\.body) == [Array("{}".utf8)])
        #expect(noted.all == ["https://trips.example 2"])
        #expect(try names().isEmpty)
        #expect(await outbox.deliveries.isEmpty)
    }

    @Test func `E21: a server that is down gets it when it is up, also from the next host`()
        async throws
    {
        let courier = ScriptedCourier([Self.down, .answered(503), .answered(200)])
        let first = try open(courier)
        guard case .kept(let kept) = try await first.send(Self.parcel(), keeps: true) else {
            Issue.record("it was not kept")
            return
        }
        #expect(kept.state == .waiting)
        #expect(kept.attempts == 1)
        #expect(kept.problem == "https://trips.example cannot be reached.")
        #expect(kept.next == Self.start.advanced(byMicroseconds: 60_000_000))

        let second = try open(courier)
        #expect(await second.deliveries == [kept])
        guard case .kept(let again) = try await second.retry(kept.id) else {
            Issue.record("it was not kept")
            return
        }
        #expect(again.attempts == 2)
        #expect(again.next == Self.start.advanced(byMicroseconds: 120_000_000))
        #expect(try await second.retry(kept.id) == .delivered(status: 200))
        #expect(try names().isEmpty)
        // The server can tell that it is the same thing.
        #expect(Set(courier.visits.map(\.id)) == [kept.id])
        #expect(Set(courier.visits.map(\.body)) == [Array("{}".utf8)])
    }

    @Test func `E21: it is the person's choice whether it is kept`() async throws {
        let outbox = try open(ScriptedCourier([Self.down]))
        await #expect { _ = try await outbox.send(Self.parcel(), keeps: false) } throws: {
            ($0 as? OutboxError)?.code == .notDelivered
        }
        #expect(try names().isEmpty)
        _ = try await outbox.send(Self.parcel(), keeps: true)
        let kept = try #require(await outbox.deliveries.first)
        try await outbox.discard(kept.id)
        #expect(try names().isEmpty)
        await #expect { _ = try await outbox.retry(kept.id) } throws: {
            ($0 as? OutboxError)?.code == .notFound
        }
    }

    @Test(arguments: [
        (Reply.failed("It is late."), Delivery.State.waiting), (.answered(500), .waiting),
        (.answered(503), .waiting), (.answered(429), .waiting), (.answered(408), .waiting),
        (.answered(400), .refused), (.answered(401), .refused), (.answered(302), .refused),
        (.answered(404), .refused), (.answered(101), .refused),
    ])
    func `what the answer means`(reply: Reply, state: Delivery.State) async throws {
        let outbox = try open(ScriptedCourier([reply]))
        _ = try await outbox.send(Self.parcel(), keeps: true)
        let kept = try #require(await outbox.deliveries.first)
        #expect(kept.state == state)
        #expect((kept.next != nil) == (state == .waiting))
        #expect(!kept.problem.isEmpty)
    }

    @Test func `what waits is tried after a minute, and then ever later, an hour at most`()
        async throws
    {
        let courier = ScriptedCourier([Self.down])
        let outbox = try await runFiveHours(courier)
        let due = [60, 180, 420, 900, 1860, 3780, 7380, 10980, 14580]
        let kept = try #require(await outbox.deliveries.first)
        #expect(kept.attempts == due.count + 1)
        #expect(courier.visits.count == due.count + 1)
    }

    @Test func `what was refused waits for the person`() async throws {
        let courier = ScriptedCourier([.answered(400)])
        _ = try await runFiveHours(courier)
        #expect(courier.visits.count == 1)
    }

    @Test func `E22: the bytes come back as they were, and nobody else can open them`()
        async throws
    {
        let body = String(decoding: (0..<4096).map { UInt8($0 & 0x7F) }, as: UTF8.self)
        let courier = ScriptedCourier([Self.down, .answered(200)])
        let outbox = try open(courier)
        _ = try await outbox.send(Self.parcel(body), keeps: true)
        let kept = try #require(await outbox.deliveries.first)
        for name in try names() {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: "\(folder.path)/outbox/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        _ = try await open(courier).retry(kept.id)
        #expect(courier.visits.map(\.body) == [Array(body.utf8), Array(body.utf8)])
    }

    @Test func `a file that was changed is not sent, and a damaged one is left where it is`()
        async throws
    {
        let courier = ScriptedCourier([Self.down])
        let outbox = try open(courier)
        for _ in 0..<2 { _ = try await outbox.send(Self.parcel(), keeps: true) }
        let ids = await outbox.deliveries.map(\.id)
        let path = "\(folder.path)/outbox/"
        try Data("{".utf8).write(to: URL(filePath: path + "\(ids[0]).json"))
        try Data("{} ".utf8).write(to: URL(filePath: path + "\(ids[1]).body"))
        for name in ["0123456789abcdef.body", "0123456789abcdef.json.new-1"] {
            try Data("left".utf8).write(to: URL(filePath: path + name))
        }
        let next = try open(courier)
        #expect(await next.deliveries.map(\.id) == [ids[1]])
        await #expect { _ = try await next.retry(ids[1]) } throws: {
            ($0 as? OutboxError)?.code == .storeFailed
        }
        #expect(courier.visits.count == 2)
        let expected = [ids[0], ids[1]].flatMap { ["\($0).body", "\($0).json"] }.sorted()
        #expect(try names() == expected)
    }

    @Test func `a token is read at every try, and one that cannot be read is told`() async throws {
        let file = folder.path + "/token"
        try Data("first\n".utf8).write(to: URL(filePath: file))
        let courier = ScriptedCourier([Self.down])
        let outbox = try open(courier)
        _ = try await outbox.send(Self.parcel(tokenFile: file), keeps: true)
        let kept = try #require(await outbox.deliveries.first)
        try Data("second\n".utf8).write(to: URL(filePath: file))
        _ = try await outbox.retry(kept.id)
        #expect(courier.visits.map(\.token) == ["first", "second"])
        try FileManager.default.removeItem(atPath: file)
        _ = try await outbox.retry(kept.id)
        #expect(courier.visits.count == 2)
        #expect(await outbox.deliveries.first?.problem.contains(file) == true)
    }

    @Test(arguments: [
        ("https://trips.example/a", true), ("http://127.0.0.1:8000/a", true),
        ("http://[::1]:8000/a", true), ("http://localhost/a", true),
        ("http://trips.example/a", false), ("http://192.168.1.2/a", false),
        ("http://localhost.example/a", false),
    ])
    func `what leaves the machine is encrypted`(text: String, isTaken: Bool) throws {
        #expect(((try? Self.parcel(to: text)) != nil) == isTaken)
    }

    @Test func `no more than 200 things wait`() async throws {
        let outbox = try open(ScriptedCourier([Self.down]))
        for _ in 0..<200 { _ = try await outbox.send(Self.parcel(), keeps: true) }
        await #expect { _ = try await outbox.send(Self.parcel(), keeps: true) } throws: {
            ($0 as? OutboxError)?.code == .full
        }
        #expect(try names().count == 400)
    }
}

/// What the log would have been told.
private final class NotedSendings: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    @Sendable
    func note(_ origin: String, _ bytes: Int) async {
        lines.withLock { $0.append("\(origin) \(bytes)") }
    }
}

/// A clock that stands until somebody sleeps by it.
private final class SteppedClock: Sendable {
    private let time: Mutex<Timestamp>

    init(_ start: Timestamp) { time = Mutex(start) }

    var now: Timestamp { time.withLock { $0 } }

    func pass(_ duration: Duration, until end: Timestamp) throws {
        try time.withLock { time in
            time = time.advanced(byMicroseconds: Int64(duration / .microseconds(1)))
            if time > end { throw CancellationError() }
        }
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
