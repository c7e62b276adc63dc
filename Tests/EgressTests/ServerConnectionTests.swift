import Addresses
import NIOCore
import NIOEmbedded
import NIOSSL
import Testing

@testable import Egress

struct ServerConnectionTests {
    /// A leaked promise would crash the process here.
    @Test(arguments: [false, true])
    func `a channel that was closed before it is set up makes no connection`(
        isSecure: Bool
    ) async throws {
        let contexts = TLSContexts(trustRoots: .certificates([]))
        let context = isSecure ? try await contexts.context(isPinned: false) : nil
        let channel = EmbeddedChannel()
        _ = try channel.finish()
        #expect(throws: ChannelError.ioOnClosedChannel) {
            try ServerConnection(
                on: channel, to: .name("example.org"), pin: nil, context: context,
                handshakeLimit: .seconds(1))
        }
    }
}
