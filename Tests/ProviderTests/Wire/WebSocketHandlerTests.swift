import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOWebSocket
import Testing

@testable import Provider

/// The times of a WebSocket, on an event loop that the test advances.
struct WebSocketHandlerTests {
    private struct Connection {
        let loop = EmbeddedEventLoop()
        let channel: EmbeddedChannel

        init() throws {
            channel = EmbeddedChannel(
                handler: WebSocketHandler(limits: ConnectionLimits()), loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        func receive(_ opcode: WebSocketOpcode) throws {
            try channel.writeInbound(
                WebSocketFrame(
                    fin: true, opcode: opcode, maskKey: [1, 2, 3, 4], data: ByteBuffer()))
        }

        /// What was sent since the last call.
        func sent() throws -> [UInt8] {
            var bytes: [UInt8] = []
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
                bytes += Array(buffer.readableBytesView)
            }
            return bytes
        }

        var isOpen: Bool { channel.isActive }
    }

    @Test func `a silent client gets pings and is disconnected after a minute`() throws {
        let connection = try Connection()
        for _ in 1...3 {
            connection.loop.advanceTime(by: .milliseconds(14_999))
            #expect(try connection.sent() == [])
            connection.loop.advanceTime(by: .milliseconds(1))
            #expect(try connection.sent() == [0x89, 0])
        }
        #expect(connection.isOpen)
        connection.loop.advanceTime(by: .seconds(15))
        #expect(!connection.isOpen)
    }

    @Test func `a client that answers pings stays connected`() throws {
        let connection = try Connection()
        for _ in 1...100 {
            connection.loop.advanceTime(by: .seconds(15))
            #expect(try connection.sent() == [0x89, 0])
            try connection.receive(.pong)
        }
        #expect(connection.isOpen)
    }

    @Test func `after the end of the stream the client has five seconds to close`() throws {
        for answers in [false, true] {
            let connection = try Connection()
            var frame = ByteBuffer()
            frame.writeFrame(
                .connectionClose, ByteBuffer(closing: .goingAway).readableBytesView)
            try connection.channel.writeOutbound(HTTPResponsePart.body(frame))
            try connection.channel.writeOutbound(HTTPResponsePart.end(nil))
            #expect(try connection.sent() == [0x88, 2, 0x03, 0xE9])
            connection.loop.advanceTime(by: .milliseconds(4999))
            #expect(connection.isOpen)
            if answers {
                try connection.receive(.connectionClose)
            } else {
                connection.loop.advanceTime(by: .milliseconds(1))
            }
            #expect(!connection.isOpen)
        }
    }

    @Test func `nothing is sent after a close frame`() throws {
        let connection = try Connection()
        try connection.receive(.text)
        #expect(try connection.sent() == [0x88, 2, 0x03, 0xEB])
        #expect(throws: ChannelError.outputClosed) {
            try connection.channel.writeOutbound(
                HTTPResponsePart.body(ByteBuffer(string: "a frame")))
        }
        try connection.receive(.ping)
        connection.loop.advanceTime(by: .seconds(4))
        #expect(try connection.sent() == [])
        connection.loop.advanceTime(by: .seconds(1))
        #expect(!connection.isOpen)
    }

    @Test(arguments: [0, 125, 126, 65_535, 65_536, 100_000])
    func `the length of a frame has the shortest form`(count: Int) throws {
        var frame = ByteBuffer()
        frame.writeFrame(.text, ByteBuffer(repeating: 7, count: count).readableBytesView)
        let channel = EmbeddedChannel(
            handler: ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: 1 << 20)))
        try channel.writeInbound(frame)
        let read = try #require(try channel.readInbound(as: WebSocketFrame.self))
        #expect(read.opcode == .text && read.data.readableBytes == count)
        #expect(frame.readableBytes == count + (count < 126 ? 2 : count < 65_536 ? 4 : 10))
    }
}
