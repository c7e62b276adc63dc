public import Auth
import Foundation
import Logging
import NIOCore
import NIOPosix
import Samples
import Synchronization
import TestSupport
import Testing
import Text

@testable import Host

/// The policy broker behind a real Unix socket.
@Suite(.timeLimit(.minutes(5)))
struct PolicyBrokerTests {
    private static let allow = #"["sensor:cpu", "storage"]"#

    /// An app with a run, at an authority that asks the broker at a socket.
    private struct Lab {
        let authority: Authority
        let run: String
        let token: String
        let log: LogLines

        func consult(_ privilege: PrivilegeID = "sensor:cpu") async throws -> PermissionRecord? {
            try await authority.consultBroker(about: [privilege], for: run).first
        }

        /// What the owner would be asked: whether a request of the app stays open.
        func isLeftToOwner(_ privilege: PrivilegeID = "sensor:cpu") async throws -> Bool {
            try await authority.openRequest(
                privilege, token: token, name: nil, isAvailable: true
            ).isOpen
        }
    }

    /// - Parameters:
    ///   - answer: the broker's answer to a question, or what else it does.
    ///   - mode: of the socket.
    private func with(
        _ answer: LineServer.Answer, allow: String = allow, timeout: String = "5s",
        mode: mode_t = 0o600, _ body: (Lab, LineServer) async throws -> Void
    ) async throws {
        let folder = try TestFolder()
        let socket = "\(folder.path)/broker"
        let server = try await LineServer(at: socket, answer)
        chmod(socket, mode)
        let text =
            #"{"policyBroker": {"socket": "\#(socket)", "timeout": "\#(timeout)", "allow": \#(allow)}}"#
        let section = try #require(try Configuration(parsing: Array(text.utf8)).policyBroker)
        let log = LogLines()
        let authority = try await Authority(
            path: "\(folder.path)/permissions.sqlite", timeLimit: .zero,
            logger: Logger(label: "test") { _ in log })
        await authority.use(SocketPolicyBroker(section) { _ in nil }, within: section.policy)
        try await authority.admit(
            DeclaredApp(
                name: "app", identity: "1",
                privileges: ["sensor:cpu", "storage", "notify"].map { (id: PrivilegeID) in
                    Privilege(Privilege.Resource(id) ?? .identity, reason: "")
                }))
        let (run, token) = try await authority.beginRun(of: "app")
        try await body(Lab(authority: authority, run: run, token: token.text, log: log), server)
        try await server.close()
        withExtendedLifetime(folder) {}
    }

    @Test func `an allowed privilege is granted for the run under both terms`() async throws {
        let answer = #"{"answer": "allow", "terms": {"access": "stats", "history": "1h"}}"#
        try await with(
            .line(answer), allow: #"[{"privilege": "sensor:cpu", "history": "7d"}]"#
        ) { (lab, server) async throws in
            let record = try #require(try await lab.consult())
            #expect(record.terms == Terms(access: .stats, history: .seconds(3600)))
            #expect(record.run == lab.run)
            let question = try StrictJSON().parse(Array(try #require(server.received.first).utf8))
            #expect(question["version"]?.number?.int64 == 1)
            #expect(question["client"]?["name"]?.string == "app")
            #expect(question["client"]?["run"]?.string == lab.run)
            #expect(question["privilege"]?.string == "sensor:cpu")
            #expect(question["terms"]?["access"]?.string == "raw")
            #expect(question["limit"]?["history"]?.string == "7d")
            // It is decided: nobody is asked again.
            #expect(try await lab.consult() == nil)
            #expect(try await !lab.isLeftToOwner())
            #expect(server.received.count == 1)
            let entry = try await lab.authority.log.entries(AccessLogQuery(kind: .granted)).first
            #expect(entry?.detail == "stats, history 1h, for run \(lab.run), by: broker")
        }
    }

    @Test func `a denial holds for the run and is not counted`() async throws {
        try await with(.line(#"{"answer":"deny"}"#)) { (lab, _) async throws in
            #expect(try await lab.consult()?.state == .denied)
            #expect(try await !lab.isLeftToOwner())
            #expect(await lab.authority.permissions.denialCounts().isEmpty)
            let entry = try await lab.authority.log.entries(AccessLogQuery(kind: .denied)).first
            #expect(entry?.detail == "for run \(lab.run), by: broker")
            // The broker is asked again in the next run.
            let (next, _) = try await lab.authority.beginRun(of: "app")
            let again = try await lab.authority.consultBroker(about: ["sensor:cpu"], for: next)
            #expect(again.map(\.run) == [next])
        }
    }

    @Test func `a question that it leaves to the owner opens a request, once`() async throws {
        try await with(.line(#"{"answer":"ask"}"#)) { (lab, server) async throws in
            #expect(try await lab.isLeftToOwner())
            #expect(try await lab.isLeftToOwner())
            #expect(server.received.count == 1)
            #expect(lab.log.lines.isEmpty)
        }
    }

    /// Answers that must grant nothing.
    private static let malformed: [String] =
        [
            "", "{}", "[]", "null", "allow", #""allow""#, "true", "{", #"{"answer":"allow"#,
            #"{"answer":"ALLOW"}"#, #"{"answer":"allow "}"#, #"{"answer":null}"#,
            #"{"answer":["allow"]}"#, #"{"answer":{"allow":true}}"#, #"{"answer":1}"#,
            #"{"Answer":"allow"}"#, #"{"answer":"allow","answer":"deny"}"#,
            #"{"answer":"allow"}{"answer":"allow"}"#, #"{"answer":"allow"},"#,
            #"{'answer':'allow'}"#, #"{"answer":"allow",}"#, #"{"answer":"allow"} // yes"#,
            #"{"answer":"allow","privilege":"storage"}"#, #"{"answer":"allow","run":"x"}"#,
            #"{"answer":"deny","terms":{}}"#, #"{"answer":"ask","terms":{"access":"raw"}}"#,
            "\u{FEFF}{\"answer\":\"allow\"}", "{\"answer\":\"allow\"}\u{0}",
            "{\"answer\":\"allow\"}\n{\"answer\":\"allow\"}", "\n{\"answer\":\"allow\"}",
            String(repeating: "[", count: 5000), #"{"answer":"allow","terms":"#,
        ]
        + [
            "[]", "null", "1", #""all""#, #"{"access":"all"}"#, #"{"access":null}"#,
            #"{"access":["raw"]}"#, #"{"rate":0}"#, #"{"rate":-1}"#, #"{"rate":"1"}"#,
            #"{"rate":1e999}"#, #"{"rate":NaN}"#, #"{"rate":null}"#, #"{"precision":0}"#,
            #"{"precision":-0.5}"#, #"{"precision":Infinity}"#, #"{"history":"0s"}"#,
            #"{"history":"-1h"}"#, #"{"history":3600}"#, #"{"history":"forever"}"#,
            #"{"history":null}"#, #"{"expires":"tomorrow"}"#, #"{"expires":1e300}"#,
            #"{"expires":null}"#, #"{"background":1}"#, #"{"background":"yes"}"#,
            #"{"background":null}"#, #"{"only":["cpu"]}"#, #"{"excluded":[]}"#,
            #"{"sensor":"memory"}"#, #"{"lifetime":"1h"}"#, #"{"access":"raw","access":"stats"}"#,
        ].map { #"{"answer":"allow","terms":\#($0)}"# }

    @Test(arguments: malformed)
    func `a malformed answer grants nothing, and the owner is asked`(answer: String) async throws {
        try await with(.line(answer)) { (lab, _) async throws in
            #expect(try await lab.consult() == nil)
            #expect(try await lab.isLeftToOwner())
            #expect(await lab.authority.permissions.records().isEmpty)
            #expect(lab.log.lines.count == 1)
            #expect(lab.log.lines.first?.contains("you are asked") == true)
        }
    }

    @Test(arguments: [
        LineServer.Answer.bytes(Array(repeating: 0x20, count: 1 << 20)),
        .bytes(Array((#"{"answer":"allow"}"# + String(repeating: " ", count: 17_000) + "\n").utf8)),
        .bytes(Array(#"{"answer":"allow"}"#.utf8)), .bytes([0xFF, 0xFE, 0x0A]), .bytes([]),
        .hangUp,
    ])
    func `an answer that is too large, cut off or missing grants nothing`(
        answer: LineServer.Answer
    ) async throws {
        try await with(answer) { (lab, _) async throws in
            #expect(try await lab.isLeftToOwner())
            #expect(await lab.authority.permissions.records().isEmpty)
            #expect(lab.log.lines.count == 1)
        }
    }

    @Test func `a broker that does not answer in time leaves the question to the owner`()
        async throws
    {
        try await with(.silence, timeout: "100ms") { (lab, server) async throws in
            #expect(try await lab.isLeftToOwner())
            // After a fault, it is not asked about the other privileges of a run.
            let rest: [PrivilegeID] = ["storage", "notify"]
            #expect(try await lab.authority.consultBroker(about: rest, for: lab.run).isEmpty)
            #expect(server.received.count == 2)
            // Logged once.
            #expect(lab.log.lines.count == 1)
        }
    }

    @Test(arguments: [
        (#"[]"#, #"{"answer":"allow"}"#), (#"["sensor:memory"]"#, #"{"answer":"allow"}"#),
        (#"["sensor:cpu:write"]"#, #"{"answer":"allow"}"#),
        (#"["sensor:cpu"]"#, #"{"answer":"allow","terms":{"access":"write"}}"#),
        (
            #"[{"privilege":"sensor:cpu","precision":0.5}]"#,
            #"{"answer":"allow","terms":{"precision":0.7}}"#
        ),
        (#"["sensor:cpu:stats"]"#, #"{"answer":"allow","terms":{"rate":1}}"#),
    ])
    func `an answer beyond the owner's policy grants nothing`(
        allow: String, answer: String
    ) async throws {
        try await with(.line(answer), allow: allow) { (lab, _) async throws in
            #expect(try await lab.isLeftToOwner())
            #expect(await lab.authority.permissions.records().isEmpty)
        }
    }

    @Test(arguments: [
        (
            #"[{"privilege":"sensor:cpu","rate":2}]"#, #"{"rate":50}"#,
            Terms(access: .raw, maximumRate: 2)
        ),
        (
            #"[{"privilege":"sensor:cpu","history":"1h","background":false}]"#,
            #"{"history":"9d","background":true}"#,
            Terms(access: .raw, history: .seconds(3600), background: false)
        ),
        (#"["sensor:cpu:stats"]"#, #"{"access":"raw"}"#, Terms(access: .stats)),
        (#"["sensor:memory","sensor:cpu"]"#, "{}", Terms(access: .raw)),
        (#"["sensor:cpu:stats","sensor:cpu"]"#, "{}", Terms(access: .stats)),
    ])
    func `an answer is reduced to the owner's policy`(
        allow: String, terms: String, granted: Terms
    ) async throws {
        try await with(.line(#"{"answer":"allow","terms":\#(terms)}"#), allow: allow) {
            (lab, _) async throws in
            #expect(try await lab.consult()?.terms == granted)
        }
    }

    @Test(arguments: [mode_t(0o660), 0o606, 0o666, 0o622])
    func `a socket that others can write to is not used`(mode: mode_t) async throws {
        try await with(.line(#"{"answer":"allow"}"#), mode: mode) { (lab, server) async throws in
            #expect(try await lab.isLeftToOwner())
            #expect(server.received.isEmpty)
            #expect(lab.log.lines.first?.contains("chmod 600") == true)
        }
    }

    @Test func `the owner's decision during the question wins`() async throws {
        try await with(.line(#"{"answer":"allow"}"#)) { (lab, _) async throws in
            try await lab.authority.decide(.deny, on: "sensor:cpu", by: "app")
            #expect(try await lab.consult() == nil)
            #expect(await lab.authority.permissions.records().map(\.run) == [nil])
        }
    }

    @Test func `without a listener nothing is granted`() async throws {
        try await with(.line(#"{"answer":"allow"}"#)) { (lab, server) async throws in
            try await server.close()
            #expect(try await lab.isLeftToOwner("storage"))
            #expect(lab.log.lines.count == 1)
            await lab.authority.use(nil, within: BrokerPolicy())
            #expect(try await lab.consult() == nil)
        }
    }

    @Test(arguments: [
        "[]", "{}", #"{"socket": "broker"}"#, #"{"socket": "/b", "x": 1}"#,
        #"{"socket": "/b", "timeout": "2"}"#, #"{"socket": "/b", "timeout": "31s"}"#,
        #"{"socket": "/b", "allow": "sensor:cpu"}"#, #"{"socket": "/b", "allow": ["net"]}"#,
        #"{"socket": "/b", "allow": ["cpu"]}"#, #"{"socket": "/b", "allow": [{}]}"#,
        #"{"socket": "/b", "allow": [{"privilege": "sensor:cpu", "rate": 0}]}"#,
        #"{"socket": "/b", "allow": [{"privilege": "storage", "rate": 1}]}"#,
        #"{"socket": "/b", "allow": [{"privilege": "sensor:cpu:write", "history": "1h"}]}"#,
        #"{"socket": "/b", "allow": [{"privilege": "sensor:cpu", "access": "raw"}]}"#,
    ])
    func `an invalid section is rejected`(section: String) throws {
        #expect(throws: ConfigurationError.self) {
            try Configuration(parsing: Array(#"{"policyBroker": \#(section)}"#.utf8))
        }
    }
}

extension PrivilegeID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        self = PrivilegeID(text) ?? .net
    }
}

/// A server at a Unix socket that answers one line on each connection.
final class LineServer: Sendable {
    /// What it does after a line.
    enum Answer: Sendable {
        /// Sends a line.
        case line(String)
        /// Sends bytes, then closes.
        case bytes([UInt8])
        case silence
        case hangUp
    }

    private let channel: any Channel
    private let lines: Lines

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// The lines that it received, without their line breaks.
    var received: [String] { lines.all.withLock { $0 } }

    init(at path: String, _ answer: Answer) async throws {
        let lines = Lines()
        self.lines = lines
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Answering(answer) { line in lines.all.withLock { $0.append(line) } })
                }
            }
            .bind(unixDomainSocketPath: path).get()
    }

    func close() async throws {
        guard channel.isActive else { return }
        try await channel.close().get()
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: Answer
        private let note: (String) -> Void
        private var bytes: [UInt8] = []

        init(_ answer: Answer, _ note: @escaping (String) -> Void) {
            (self.answer, self.note) = (answer, note)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytesView
            guard let end = bytes.firstIndex(of: 0x0A) else { return }
            note(String(decoding: bytes[..<end], as: UTF8.self))
            switch answer {
            case .line(let text): send(Array("\(text)\n".utf8), context)
            case .bytes(let bytes):
                send(bytes, context)
                context.close(promise: nil)
            case .silence: break
            case .hangUp: context.close(promise: nil)
            }
        }

        private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        }
    }
}

/// Keeps the messages of a logger.
struct LogLines: LogHandler {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private let kept = Lines()
    var logLevel = Logger.Level.warning
    var metadata: Logger.Metadata = [:]

    var lines: [String] { kept.all.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        kept.all.withLock { $0.append("\(event.message)") }
    }
}
