import Auth
import Foundation
import JSApps
import NIOCore
import NIOPosix
import Provider

/// The policy broker behind a Unix socket: a connection, a line and an answer for each question.
struct SocketPolicyBroker: PolicyBroker {
    private let path: String
    private let timeout: Duration
    private let app: @Sendable (String) async -> InstalledApp?

    /// - Parameter app: the installed app of a name.
    init(
        _ section: PolicyBrokerSection, app: @escaping @Sendable (String) async -> InstalledApp?
    ) {
        path = section.socket
        timeout = section.timeout
        self.app = app
    }

    func answer(to question: BrokerQuestion) async throws(BrokerFault) -> BrokerAnswer {
        if let fault = Self.fault(ofSocket: path) { throw fault }
        let asking = question.client.kind == .app ? await app(question.client.name) : nil
        let answer = try await exchange(BrokerMessage.line(question, from: asking))
        return try BrokerMessage.answer(answer)
    }

    /// Why a file is not a socket that only this user can use; `nil` if it is one.
    static func fault(ofSocket path: String) -> BrokerFault? {
        let facts: [FileAttributeKey: Any]
        do {
            // Of a link itself, not of what it leads to.
            facts = try FileManager.default.attributesOfItem(atPath: path)
        } catch {
            return BrokerFault(.unreachable, "\(path) does not exist, or cannot be examined.")
        }
        guard facts[.type] as? FileAttributeType == .typeSocket else {
            return BrokerFault(.unsafeSocket, "\(path) is not a socket.")
        }
        let user = (facts[.ownerAccountID] as? NSNumber)?.uint32Value
        guard user == geteuid() else {
            return BrokerFault(.unsafeSocket, "\(path) belongs to another user.")
        }
        guard let mode = (facts[.posixPermissions] as? NSNumber)?.uint32Value, mode & 0o022 == 0
        else {
            return BrokerFault(
                .unsafeSocket,
                "Other users can write to \(path). Make it private with: chmod 600 \(path)")
        }
        return nil
    }

    /// Why no program of this user listens at a socket; `nil` if one does.
    static func fault(ofListenerAt path: String) async -> BrokerFault? {
        if let fault = fault(ofSocket: path) { return fault }
        do {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(unixDomainSocketPath: path).get()
            let peer = try await PeerCredentials.of(channel).get()
            channel.close(promise: nil)
            return peer.user == geteuid() ? nil : foreign(peer.user, path)
        } catch {
            return unreachable(path)
        }
    }

    // MARK: - Private

    private static func unreachable(_ path: String) -> BrokerFault {
        BrokerFault(.unreachable, "Nobody answers at \(path).")
    }

    private static func foreign(_ user: UInt32, _ path: String) -> BrokerFault {
        BrokerFault(
            .unsafeSocket, "The program that listens at \(path) belongs to another user (\(user)).")
    }

    /// Sends a line, and returns the line that comes back.
    private func exchange(_ line: String) async throws(BrokerFault) -> [UInt8] {
        do {
            return try await connectAndExchange(line)
        } catch let fault as BrokerFault {
            throw fault
        } catch {
            throw Self.unreachable(path)
        }
    }

    private func connectAndExchange(_ line: String) async throws -> [UInt8] {
        let group = MultiThreadedEventLoopGroup.singleton
        let limit = TimeAmount(timeout)
        let answer = group.any().makePromise(of: [UInt8].self)
        let late = BrokerFault(.timedOut, "It did not answer within \(timeout).")
        let timer = answer.futureResult.eventLoop.scheduleTask(in: limit) { answer.fail(late) }
        defer { timer.cancel() }
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: group).connectTimeout(limit)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(AnswerReader(answer))
                    }
                }
                .connect(unixDomainSocketPath: path).get()
        } catch {
            answer.fail(error)
            throw error
        }
        defer { channel.close(promise: nil) }
        // The user who called listen(2).
        let peer = try await PeerCredentials.of(channel).get()
        guard peer.user == geteuid() else {
            let fault = Self.foreign(peer.user, path)
            answer.fail(fault)
            throw fault
        }
        channel.writeAndFlush(ByteBuffer(string: line), promise: nil)
        return try await answer.futureResult.get()
    }
}

/// Collects one line, and nothing after it.
private final class AnswerReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let answer: EventLoopPromise<[UInt8]>
    private var received: [UInt8] = []

    init(_ answer: EventLoopPromise<[UInt8]>) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
            if end == received.count - 1, end <= BrokerMessage.maximumBytes {
                answer.succeed(Array(received[..<end]))
            } else {
                fail("it is more than one line, or too large")
            }
        } else if received.count > BrokerMessage.maximumBytes {
            fail("it is larger than \(BrokerMessage.maximumBytes) bytes")
        } else {
            return
        }
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail("the connection ended before a line was complete")
        context.fireChannelInactive()
    }

    /// Has no effect once there is an answer.
    private func fail(_ reason: String) {
        answer.fail(BrokerFault(.invalidAnswer, "Its answer is invalid: \(reason)."))
    }
}
