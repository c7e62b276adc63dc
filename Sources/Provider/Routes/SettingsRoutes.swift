import API
import HTTPTypes
import Hummingbird
import JSApps
import NIOCore

/// The page that a refusal links to: what a person types to change what an app may do.
///
/// It changes nothing and tells nothing of the host, so it needs no token: whoever opens it learns no
/// more than the name in its address.
struct SettingsRoutes {
    func add(to routes: inout RouteTable) {
        routes.on(.settings("{app}"), [.get: page])
    }

    @Sendable
    private func page(_ request: Request, _ context: ProviderContext) async throws -> Response {
        guard let name = AppName(try context.decoded("app").required("app")) else {
            throw Problem.notFound("This is not the name of an app.")
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: FileType.html.rawValue,
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
                .openerPolicy: "same-origin",
            ], body: .init(byteBuffer: ByteBuffer(string: Self.html(of: name))))
    }

    /// A name in kebab-case needs no escape.
    private static func html(of app: AppName) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Permissions of \(app)</title>
        <style>
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; }
        body { max-width: 42rem; }
        pre { background: #8882; border-radius: .4rem; padding: .6rem .8rem; overflow-x: auto; }
        </style>
        </head>
        <body>
        <h1>Permissions of \(app)</h1>
        <p>No page can change what you decided. Type in a terminal what is to be done:</p>
        <h2>See what it may do</h2>
        <pre>nervous permissions \(app)</pre>
        <h2>Allow something, or statistics of it only</h2>
        <pre>nervous permissions grant \(app) sensor:NAME
        nervous permissions grant \(app) sensor:NAME:stats</pre>
        <h2>Refuse something</h2>
        <pre>nervous permissions deny \(app) sensor:NAME</pre>
        <h2>Be asked again</h2>
        <pre>nervous permissions reset \(app)</pre>
        <p>A change holds from the app’s next call on; the app need not be started again.</p>
        </body>
        </html>

        """
    }
}
