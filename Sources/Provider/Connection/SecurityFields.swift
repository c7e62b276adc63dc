import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// Adds the header fields that every answer of a server has, whoever wrote it: a route, the router, or
/// the HTTP parser.
///
/// An answer that lacked one of them would say something about the host to any page: without a
/// resource policy, for instance, whether an app is installed.
final class SecurityFieldHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational
        else { return context.write(data, promise: promise) }
        head.headerFields.addSecurity()
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}

@available(*, unavailable)
extension SecurityFieldHandler: Sendable {}

extension HTTPFields {
    /// Adds what is missing; an answer that has a policy or a caching rule of its own keeps it.
    fileprivate mutating func addSecurity() {
        for (name, value) in Self.standard where self[name] == nil { self[name] = value }
    }

    private static let standard: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"),
        (
            .contentSecurityPolicy,
            "default-src 'none'; base-uri 'none'; form-action 'none';"
                + " frame-ancestors 'none'; webrtc 'block'"
        ),
        (.xContentTypeOptions, "nosniff"), (.referrerPolicy, "no-referrer"),
        (.resourcePolicy, "same-origin"), (.openerPolicy, "same-origin"),
        (.dnsPrefetchControl, "off"),
    ]
}
