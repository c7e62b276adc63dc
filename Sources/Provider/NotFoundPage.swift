import HTTPTypes
import Hummingbird
import NIOCore
import Text

/// The page that a browser gets for an address of the owner's origin at which there is nothing.
///
/// It has the style of the page that says how to open the dashboard, and no script. It is the same with
/// and without a session, and contains nothing about this machine.
enum NotFoundPage {
    /// The longest part of an address that is shown, in columns.
    private static let longestAddress = 160

    /// The response with status 404.
    ///
    /// - Parameter path: what the browser asked for: untrusted, and shown as a text.
    static func response(for path: String) -> Response {
        let text = html(showing: path.escapedForDisplay(limit: longestAddress))
        return Response(
            status: .notFound,
            headers: [
                .contentType: FileType.html.rawValue, .contentSecurityPolicy: policy,
                .cacheControl: "no-store",
            ],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// Nothing but the style sheet and the icon in the page itself.
    private static let policy =
        "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
        + " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

    private static func html(showing address: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>Not found · Nervous</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/dashboard/dashboard.css">
        </head>
        <body>
        <header class="rail"><a class="brand" href="/">Nervous</a></header>
        <main id="main">
        <div class="alone">
        <section class="panel empty">
        <h1 class="same">There is no page at this address</h1>
        <p><code>\(XMLText(address))</code></p>
        <p><a class="button" href="/">Go to the overview</a></p>
        <p>If this browser is not signed in, open Nervous from a terminal on this machine:</p>
        <p><code class="command">nervous open</code></p>
        </section>
        </div>
        </main>
        </body>
        </html>

        """
    }
}
