import Hummingbird
import NIOCore

/// What the routes know of a request beside the request itself.
struct ProviderContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Whether it came over the control socket, which only the owner can open.
    let isControl: Bool
    /// Whose origin it was sent to.
    var origin: Origin = .owner

    /// Whose pages and calls a `Host` stands for.
    enum Origin: Hashable {
        /// `localhost`
        case owner
        /// `NAME.localhost`
        case app(String)
    }

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        isControl = source.channel.localAddress?.pathname != nil
    }

    /// The app that the caller says it is.
    var claimedName: String? {
        guard case .app(let name) = origin else { return nil }
        return name
    }
}
