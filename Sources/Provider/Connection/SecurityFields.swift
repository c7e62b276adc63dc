import NIOCore
import NIOHTTP1

/// Adds the header fields that every response of a server has: the responses of routes, of the
/// router, and of the HTTP parser.
///
/// A response without one of these fields would reveal something about the host to any page:
/// without a resource policy, for instance, whether an app is installed.
final class SecurityFieldHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private static let fields = [
        ("Cache-Control", "no-store"),
        (
            "Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'none';"
                + " frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("X-DNS-Prefetch-Control", "off"),
    ]

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 200 else {
            return context.write(data, promise: promise)
        }
        // A policy or a caching rule that the response already has is kept.
        for (name, value) in Self.fields where !head.headers.contains(name: name) {
            head.headers.add(name: name, value: value)
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}

@available(*, unavailable)
extension SecurityFieldHandler: Sendable {}
