import API
import HTTPTypes
import Hummingbird

/// Where the page stands that says how to change what an app may do.
struct SettingsLink: Sendable {
    /// The port people reach the server at; `nil` while it does not listen.
    let port: @Sendable () -> Int?

    /// The address of the page of the app that calls; `nil` for other callers.
    func address(for request: Request) -> String? {
        // Who refuses has found the name to be that of the token.
        guard let authority = request.head.authority, let port = port(),
            case .app(let name) = HostMiddleware.origin(of: authority, port: nil)
        else { return nil }
        return "http://localhost:\(port)/settings/\(name)"
    }
}

extension Problem {
    /// The problem with a link to where the person can change it, when it is one of permission.
    func with(_ settings: SettingsLink, _ request: Request) -> Problem {
        guard privilege != nil, code != .undeclared else { return self }
        var problem = self
        problem.settings = settings.address(for: request)
        return problem
    }
}
