import NIOCore
import NIOEmbedded
import Testing

@testable import Provider

/// The time limits of connections, on an event loop that the test advances.
struct TransferTimeoutHandlerTests {
    private struct Connection {
        let loop = EmbeddedEventLoop()
        let channel: EmbeddedChannel
        let pace = TransferTimeoutHandler(limits: ConnectionLimits())

        init() throws {
            channel = EmbeddedChannel(handler: pace, loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        /// Receives some bytes and reads more.
        func receive(_ count: Int) throws {
            try channel.writeInbound(ByteBuffer(repeating: 1, count: count))
            channel.read()
        }

        var isOpen: Bool { channel.isActive }
    }

    @Test func `a header has ten seconds from its first byte`() throws {
        let connection = try Connection()
        connection.loop.advanceTime(by: .minutes(5))
        for _ in 1...9 {
            try connection.receive(1)
            connection.loop.advanceTime(by: .seconds(1))
        }
        try connection.receive(1)
        connection.loop.advanceTime(by: .milliseconds(999))
        #expect(connection.isOpen)
        connection.loop.advanceTime(by: .milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `a completed header has no deadline, and the next one has its own`()
        throws
    {
        let connection = try Connection()
        try connection.receive(10)
        connection.loop.advanceTime(by: .seconds(9))
        connection.pace.headerEnded(at: connection.loop.now)
        connection.pace.requestEnded()
        connection.loop.advanceTime(by: .minutes(5))
        #expect(connection.isOpen)
        try connection.receive(1)
        connection.loop.advanceTime(by: .seconds(9))
        #expect(connection.isOpen)
        connection.loop.advanceTime(by: .seconds(1))
        #expect(!connection.isOpen)
    }

    @Test(arguments: [(999, false), (1000, true), (1001, true)])
    func `a body must transfer a thousand bytes in each twenty seconds`(count: Int, isKept: Bool)
        throws
    {
        let connection = try Connection()
        try connection.receive(10)
        connection.pace.headerEnded(at: connection.loop.now)
        for _ in 1...5 {
            guard connection.isOpen else { break }
            try connection.receive(count)
            connection.loop.advanceTime(by: .seconds(20))
        }
        #expect(connection.isOpen == isKept)
    }

    @Test func `time does not count while the host does not read`() throws {
        let connection = try Connection()
        try connection.channel.writeInbound(ByteBuffer(repeating: 1, count: 10))
        connection.pace.headerEnded(at: connection.loop.now)
        connection.loop.advanceTime(by: .minutes(5))
        #expect(connection.isOpen)
        connection.channel.read()
        connection.loop.advanceTime(by: .seconds(40))
        #expect(!connection.isOpen)
    }
}
