import Foundation
import TestSupport
import Testing

/// Runs that show the app's page.
@Suite(.blocking)
struct ViewTests {
    /// An app of the second generation: its page loads its script and the host's `libs.js`.
    private func page(in sandbox: Sandbox) throws -> String {
        let app = try AppFolder(sandbox, "two-pages")
        try app.write(
            "app.html",
            """
            <!doctype html><html><head><title>Two pages</title>
            <link rel="stylesheet" href="/nervousnet-axon-resources/styles.css">
            <script src="/nervousnet-axon-resources/libs.js"></script>
            <script src="https://cdn.example.org/moment.js"></script>
            <script src="app.js"></script></head><body>
            <div class="app-page" data-page="home"><h1>Home</h1><button onclick="go()">Go</button></div>
            <div class="app-page" data-page="more"><h1>More</h1><p id="text">…</p></div>
            </body></html>
            """)
        try app.write("data.json", #"{"text": "waited for"}"#)
        try app.write(
            "app.js",
            """
            function go() {
                App.load("more");
                $.ajax({ url: "data.json", async: false, success: (data) => $("#text").text(data.text) });
                alert("went");
                setTimeout(() => { $("#text").append(" <b>and</b> later"); }, 300);
            }
            $(function () {
                App.load("home");
                setTimeout(() => $("button").click(), 300);
            });
            """)
        return app.path
    }

    @Test func `an app of the first generation runs without package.json`() throws {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox, "hello-world")
        try FileManager.default.removeItem(atPath: "\(app.path)/package.json")
        try app.write(
            "app.html",
            """
            <!doctype html><html><head><link rel="stylesheet" href="../nervous.css"></head>
            <body><div class="app-page" data-page="home"><p id="out"></p></div>
            <script src="../nervousAPI.js"></script><script src="app.js"></script></body></html>
            """)
        try app.write(
            "app.js",
            """
            const { lambda, E } = numeric.eig([[1, 2, 5], [3, 5, -1], [7, -3, 5]]);
            const sum = lambda.x.reduce((one, other) => one + other);
            $("#out").append(`API ${Nervous.getJSAPIVersion()}, trace ${sum.toFixed(6)}, ${E.x.length} rows`);
            const turned = numeric.eig([[0, 1], [-1, 0]]).lambda;
            $("#out").append(`, ${turned.x.map(Math.round)} and ${turned.y.map(Math.round).sort()}`);
            App.load("home");
            """)
        let run = try sandbox.nervous("run", app.path, "--view")
        #expect(run.code == 0)
        #expect(
            run.output.contains("API 0.1, trace 11.000000, 3 rows, 0,0 and -1,1\n"),
            "\(run.output)\(run.errors)")
        #expect(!run.errors.contains("404"), "\(run.errors)")
    }

    @Test func `a page without its end tag does not hide the pages after it`() throws {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox, "nested-pages")
        try app.write(
            "app.html",
            """
            <!doctype html><html><head><title>Nested</title>
            <script src="/nervousnet-axon-resources/libs.js"></script><script src="app.js"></script></head>
            <body><div class="app-page" data-page="one"><p>One</p>
            <div class="app-page" data-page="two"><table><tr><td>Two</td><td>a&nbsp;b</td></tr></table>
            <div class="app-page" data-page="three"><p>Three</p></div>
            <div class="app-page" data-page="four"><p>Four</p></div>
            </body></html>
            """)
        try app.write(
            "app.js",
            """
            $(() => {
              const seen = ["one", "two", "three", "four", "one"].map((name) => {
                App.load(name);
                return document.body.innerText.trim();
              });
              console.log(seen.join("|"));
              App.load("two");
            });
            """)
        let run = try sandbox.nervous("run", app.path, "--view")
        #expect(run.output.contains("One|Two\ta\u{A0}b|Three|Four|One\n"), "\(run.errors)")
        #expect(run.output.contains("\nTwo\ta\u{A0}b\n"), "\(run.output)")
    }

    @Test
    func `the visible text of a page is printed when it changes, and its document at the end`()
        throws
    {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous("run", page(in: sandbox), "--view", "--html")
        #expect(run.code == 0, "\(run.errors)")
        let seen = run.output.components(separatedBy: "<!DOCTYPE html>")
        #expect(
            seen.first == """
                Home
                Go

                went
                More

                waited for

                More

                waited for and later


                """)
        #expect(
            seen.last?.contains("<div class=\"app-page\" data-page=\"home\" hidden=\"\">") == true)
        #expect(
            run.errors.contains(
                "The script 'https://cdn.example.org/moment.js' is missing"))
    }

    @Test func `with --json each view is one event`() throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous("run", page(in: sandbox), "--view", "--json")
        let events = try run.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        let views = events.filter { $0?["event"] as? String == "view" }
        #expect(
            views.map { $0?["text"] as? String } == [
                "Home\nGo", "More\n\nwaited for", "More\n\nwaited for and later",
            ])
    }

    @Test func `a page that keeps running ends at the time limit and shows its last text`() throws {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox, "clock-page")
        try app.write("app.html", "<p id=a>0</p><script src=app.js></script>")
        try app.write(
            "app.js", "let n = 0; setInterval(() => { a.textContent = `tick ${++n}` }, 50)")
        let run = try sandbox.nervous("run", app.path, "--html", "--for", "8s")
        #expect(run.code == 0)
        #expect(run.output.contains(/<p id="a">tick [1-9]/))
    }

    @Test func `a script that its page does not load runs alone, and can use the document`() throws
    {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox, "beside")
        try app.write("app.html", "<h1>Title</h1><script src='page.js'></script>")
        try app.write("page.js", "console.log('never')")
        try app.write("lib.js", "export const name = 'lib';")
        try app.write(
            "app.js",
            "import { name } from './lib.js'; console.log(name, document.querySelector('h1').innerText)"
        )
        let run = try sandbox.nervous("run", app.path)
        #expect(run.output == "lib Title\n")
        #expect(run.code == 0)
    }

    @Test func `doctor reports the features of headless apps`() throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous("doctor", "headless", "--json")
        #expect(run.output.contains("document.js") && run.output.contains("modules.js"))
    }

    @Test func `--view with --background is rejected`() throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous("run", page(in: sandbox), "--view", "--background")
        #expect(run.code == 64)
    }
}
