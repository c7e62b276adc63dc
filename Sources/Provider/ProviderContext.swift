import Hummingbird
import Logging
import NIOCore

/// What the routes know of a request beside the request itself.
struct ProviderContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let transport: Transport
    /// Whose origin it was sent to.
    var origin: Origin = .owner

    /// How a request came.
    enum Transport: Hashable {
        case network
        /// The control socket, which only the owner can open.
        case control
        /// An app that runs here.
        case runner
    }

    /// Whose pages and calls a `Host` stands for.
    enum Origin: Hashable {
        /// `localhost`
        case owner
        /// `NAME.localhost`
        case app(String)
    }

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        transport = source.channel.localAddress?.pathname == nil ? .network : .control
    }

    /// The context of a call of an app that runs here.
    init(ofRunner logger: Logger) {
        var logger = logger
        // Where a server puts it and `id` finds it.
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        coreContext = .init(source: RunnerSource(logger: logger))
        transport = .runner
    }

    private struct RunnerSource: RequestContextSource {
        let logger: Logger
    }

    /// The app that the caller says it is.
    var claimedName: String? {
        guard case .app(let name) = origin else { return nil }
        return name
    }
}
