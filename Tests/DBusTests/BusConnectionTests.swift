import Foundation
import Glibc
import TestSupport
import Testing

@testable import DBus

/// Calls and signals on a private bus with a scripted peer.
@Suite(
    .blocking, .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.lack)"),
    .timeLimit(.minutes(10)))
struct BusConnectionTests {
    private static let name = "org.example.Peer"

    private static func with<T>(
        _ body: (PrivateBus, BusConnection) async throws -> T
    ) async throws -> T {
        let bus = try PrivateBus()
        let program = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "peer.py").path(percentEncoded: false)
        try bus.start([program], until: name)
        let connection = try BusConnection(address: bus.address)
        let result = try await body(bus, connection)
        await connection.close()
        return result
    }

    private static func call(_ method: String, _ arguments: BusValue...) -> BusCall {
        BusCall(name, path: "/peer", interface: name, method, arguments)
    }

    private static func owner(_ connection: BusConnection) async throws -> String {
        try #require(try await answer(connection, .owner(of: name)).first?.text)
    }

    /// The reply to a call, with a limit that suits a busy machine.
    private static func answer(
        _ connection: BusConnection, _ call: BusCall
    ) async throws -> [BusValue] {
        try await connection.call(call, within: Program.patience)
    }

    /// The error of a call.
    private static func fault(
        _ connection: BusConnection, _ call: BusCall, within limit: Duration = Program.patience
    ) async -> BusError? {
        do throws(BusError) {
            _ = try await connection.call(call, within: limit)
            return nil
        } catch {
            return error
        }
    }

    static let values: [BusValue] = [
        .byte(255), .bool(true), .bool(false), .int16(-32768), .uint16(65535), .int32(.min),
        .uint32(.max), .int64(.min), .uint64(.max), .double(-0.5), .string(""), .string("ä 😀"),
        .path("/a/b_1"), .signature("a{sv}"), .bytes([]), .bytes([0, 1, 255]),
        .array(of: "s", []), .array(of: "s", [.string("a"), .string("b")]),
        .array(of: "ai", [.array(of: "i", [.int32(1)]), .array(of: "i", [])]),
        .options([:]), .options(["a": .byte(1), "b": .bytes([2])]),
        .table(of: "{ou}", [.init(.path("/x"), .uint32(7))]),
        .structure([.string("x"), .int32(1), .structure([.bool(true)])]),
    ]

    @Test func `values of every type are sent and received unchanged`() async throws {
        try await Self.with { _, connection in
            for value in Self.values {
                let answer = try await Self.answer(connection, Self.call("Echo", .variant(value)))
                #expect(answer == [.variant(value)])
            }
            let several: [BusValue] = [
                .string("a"), .string(""), .uint32(3), .options(["x": .string("y")]),
            ]
            let call = BusCall(
                Self.name, path: "/peer", interface: Self.name, "Pass", several)
            #expect(try await Self.answer(connection, call) == several)
        }
    }

    @Test func `an error reply has a name and a text`() async throws {
        try await Self.with { _, connection in
            let refused = await Self.fault(connection, Self.call("Refuse"))
            #expect(refused?.code == .refused)
            #expect(refused?.name == "org.example.Error.NotAllowed")
            #expect(refused?.message == "not \u{1B}[2Jtoday")
            let nobody = await Self.fault(connection, .owner(of: "org.example.Nobody"))
            #expect(nobody?.name == "org.freedesktop.DBus.Error.NameHasNoOwner")
        }
    }

    @Test(arguments: [
        ("Deep", 40, BusError.Code.excessive), ("Deep", 16, .excessive), ("Deep", 15, nil),
        ("Many", BusLimits.values + 1, .excessive), ("Many", 1000, nil),
        ("Long", BusLimits.bytes + 1, .excessive), ("Long", BusLimits.bytes, nil),
    ])
    func `messages beyond the limits are rejected, and the connection continues`(
        method: String, size: Int, code: BusError.Code?
    ) async throws {
        try await Self.with { _, connection in
            let call = Self.call(method, .int32(Int32(size)))
            #expect(await Self.fault(connection, call)?.code == code)
            #expect(await Self.fault(connection, Self.call("Notes")) == nil)
        }
    }

    @Test func `a call without a reply times out and does not delay others`()
        async throws
    {
        try await Self.with { _, connection in
            async let late = Self.fault(
                connection, Self.call("Never"), within: .milliseconds(300))
            #expect(await Self.fault(connection, Self.call("Notes")) == nil)
            #expect(await late?.code == .timedOut)
        }
    }

    @Test func `a call of a cancelled task ends at once`()
        async throws
    {
        try await Self.with { _, connection in
            for _ in 0..<50 {
                let task = Task {
                    await Self.fault(connection, Self.call("Never"), within: .seconds(3600))
                }
                if Bool.random() { await Task.yield() }
                task.cancel()
                #expect(await task.value?.code == .cancelled)
            }
        }
    }

    @Test func `a pending call is cancelled when the connection is closed`() async throws {
        try await Self.with { _, connection in
            async let waiting = Self.fault(
                connection, Self.call("Never"), within: .seconds(3600))
            #expect(await Self.fault(connection, Self.call("Notes")) == nil)
            await connection.close()
            #expect(await waiting?.code == .cancelled)
            #expect(await Self.fault(connection, Self.call("Notes"))?.code == .cancelled)
            // Closing again has no effect.
            await connection.close()
        }
    }

    @Test(arguments: [
        "bad path", "", "/a/", "a",
    ])
    func `values that D-Bus does not allow are rejected before sending`(path: String) async throws {
        try await Self.with { _, connection in
            let call = BusCall(Self.name, path: path, interface: Self.name, "Notes")
            #expect(await Self.fault(connection, call)?.code == .malformed)
            let text = Self.call("Echo", .variant(.string("a\0b")))
            #expect(await Self.fault(connection, text)?.code == .malformed)
            #expect(await Self.fault(connection, Self.call("Notes")) == nil)
        }
    }

    @Test func `matching signals arrive in order`() async throws {
        try await Self.with { _, connection in
            let owner = try await Self.owner(connection)
            let signals = connection.signals([
                BusMatch(sender: owner, path: "/other"),
                BusMatch(sender: owner, interface: Self.name, member: "Ping"),
            ])
            let none = connection.signals([BusMatch(sender: owner, namespace: "/pee")])
            _ = try await Self.answer(connection, Self.call("EmitDeep", .int32(1)))
            _ = try await Self.answer(connection, Self.call("Emit", .int32(1000)))
            var numbers: [Int64] = []
            for try await signal in signals {
                #expect(signal.sender == owner)
                numbers += signal.arguments.compactMap(\.integer)
                if numbers.count == 1000 { break }
            }
            #expect(numbers == Array(0..<1000))
            await connection.close()
            await #expect(throws: BusError.self) {
                for try await signal in none { Issue.record("\(signal)") }
            }
        }
    }

    @Test func `a unicast signal of an unmatched sender is ignored`() async throws {
        try await Self.with { _, connection in
            let owner = try await Self.owner(connection)
            let signals = connection.signals([BusMatch(sender: owner, member: "Ping")])
            _ = try await Self.answer(connection, Self.call("EmitAsStranger"))
            _ = try await Self.answer(connection, Self.call("Emit", .int32(1)))
            for try await signal in signals {
                #expect(signal.arguments == [.int32(0)])
                break
            }
        }
    }

    @Test func `a stream whose buffer overflows ends with an error`() async throws {
        try await Self.with { _, connection in
            let owner = try await Self.owner(connection)
            let signals = connection.signals([BusMatch(sender: owner, member: "Ping")])
            let count = BusConnection.waitingSignals + 1
            _ = try await Self.answer(connection, Self.call("Emit", .int32(Int32(count))))
            var taken = 0
            let error = await #expect(throws: BusError.self) {
                for try await _ in signals { taken += 1 }
            }
            #expect(error?.code == .excessive)
            #expect(taken == BusConnection.waitingSignals)
        }
    }

    @Test func `a signal that is nested too deeply ends the stream with an error`() async throws {
        try await Self.with { _, connection in
            let owner = try await Self.owner(connection)
            let signals = connection.signals([BusMatch(sender: owner)])
            _ = try await Self.answer(connection, Self.call("EmitDeep", .int32(50)))
            let error = await #expect(throws: BusError.self) { for try await _ in signals {} }
            #expect(error?.code == .excessive)
            #expect(await Self.fault(connection, Self.call("Notes")) == nil)
        }
    }

    @Test func `pending messages are sent before the connection closes`() async throws {
        try await Self.with { bus, connection in
            for number in 1...20 {
                let other = try BusConnection(address: bus.address)
                other.send(Self.call("Note"))
                await other.close()
                // The peer processes messages in order, so its reply to a later call follows.
                #expect(
                    try await Self.answer(connection, Self.call("Notes")) == [.int32(Int32(number))]
                )
            }
        }
    }

    @Test func `calls and signals fail when the bus disappears`() async throws {
        try await Self.with { bus, connection in
            let owner = try await Self.owner(connection)
            let signals = connection.signals([BusMatch(sender: owner)])
            async let waiting = Self.fault(
                connection, Self.call("Never"), within: .seconds(3600))
            _ = try await Self.answer(connection, Self.call("Notes"))
            bus.close()
            #expect(await waiting?.code == .unreachable)
            let error = await #expect(throws: BusError.self) { for try await _ in signals {} }
            #expect(error?.code == .unreachable)
            #expect(await Self.fault(connection, Self.call("Notes"))?.code == .unreachable)
        }
    }

    @Test(arguments: ["unix:path=/nonexistent/bus", "", "nonsense", "unix:path=/dev/null"])
    func `a missing bus is reported`(address: String) async throws {
        let connection = try BusConnection(address: address)
        #expect(await Self.fault(connection, .owner(of: Self.name))?.code == .unreachable)
        await connection.close()
    }

    @Test func `a socket without an answer times out`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "deaf-\(UUID())")
            .path(percentEncoded: false)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(isBound == 0 && listen(descriptor, 1) == 0)
        let connection = try BusConnection(address: BusAddress.socket(at: path))
        let error = await Self.fault(
            connection, .owner(of: Self.name), within: .milliseconds(300))
        #expect(error?.code == .timedOut)
        await connection.close()
    }
}
