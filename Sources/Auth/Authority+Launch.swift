import Samples
import Text

extension Authority {
    /// How long a launch code may wait for its page.
    public static let launchLifetime = Duration.seconds(60)
    /// How long the token of a page lives.
    public static let pageLifetime = Duration.seconds(12 * 3600)

    /// A code that a page of the app can trade for a token, once.
    public func launchCode(for app: String) throws(AuthError) -> String {
        guard clients[app] == .app else {
            throw AuthError(.notFound, "There is no app named \(app).")
        }
        let code = Token()
        let end = now().advanced(byMicroseconds: Self.launchLifetime.wholeMicroseconds)
        launches = launches.filter { now() < $0.value.end }
        launches[code.digest] = Launch(app: app, end: end)
        return code.text
    }

    /// The token of a page that was opened with a launch code.
    ///
    /// - Throws: `invalidToken` when the code was used, is too old, or is for another app.
    public func redeem(
        launchCode code: String, name: String?
    ) async throws(AuthError) -> Token {
        let launch = Token(code).flatMap { launches.removeValue(forKey: $0.digest) }
        guard let launch, now() < launch.end, launch.app == name else {
            throw await wrongToken(
                "The launch code is not valid: used, too old, or for another app.", nil, "launch",
                hint: "Open the page again with: nervous open APP")
        }
        let end = now().advanced(byMicroseconds: Self.pageLifetime.wholeMicroseconds)
        // A page is a run: what is granted once ends with it, and it ends with the host.
        let page = "page-\(RandomName.make())"
        let client = Client(name: launch.app, kind: .app, run: page)
        let token = try await issue(to: client, id: page, expires: end)
        await log.note(.tokenCreated(client))
        return token
    }
}
