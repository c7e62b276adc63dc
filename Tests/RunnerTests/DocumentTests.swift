import Glibc
import RunnerProtocol
import TestSupport
import Testing

/// The document of a script that runs alone.
@Suite(.blocking)
struct DocumentTests {
    @Test func `the document is created only when it is used`() throws {
        let run = try PageRun(
            ["app.js": "console.log(window === globalThis, self === window, typeof navigator)"],
            runsPage: false)
        #expect(run.lines == ["true true object"])
        #expect(run.calls.isEmpty && run.views.isEmpty && run.markup == nil)
        #expect(!run.run.frames.contains { if case .library = $0 { true } else { false } })
    }

    @Test(arguments: [
        ("document.title", "One"),
        ("window.document.body.children.length", "2"),
        (
            "new DOMParser().parseFromString('<p>x<b>y', 'text/html').body.innerHTML",
            "<p>x<b>y</b></p>"
        ),
        ("document.body instanceof HTMLElement", "true"),
        ("getComputedStyle(document.body).display", "block"),
        ("typeof HTMLElement + typeof MutationObserver", "functionfunction"),
        ("typeof customElements + typeof ShadowRoot", "objectfunction"),
        ("document.defaultView === window && document.location === location", "true"),
        ("[...document.querySelectorAll('p')].map((p) => p.innerText).join('|')", "a|b"),
        ("typeof documentt", "undefined"),
    ])
    func `the first use of the document loads it`(expression: String, value: String) throws {
        let run = try PageRun(
            [
                "app.js": "console.log(String(\(expression)))",
                "app.html": "<title>One</title><p>a<p>b<script>console.log('no')</script>"
                    .replacing("<script>console.log('no')</script>", with: ""),
            ], runsPage: false)
        #expect(run.lines == [value])
        #expect(run.run.end == .exit(0))
    }

    @Test func `the scripts of the page do not run beside the script`() throws {
        let run = try PageRun(
            [
                "app.js": """
                console.log(document.readyState);
                document.addEventListener("DOMContentLoaded", () => console.log("parsed"));
                onload = () => console.log("loaded", document.readyState);
                """,
                "app.html": "<body onload='console.log(1)'><script>console.log('no')</script>",
            ], runsPage: false)
        #expect(run.lines == ["loading", "parsed", "loaded complete"])
    }

    @Test func `a run without the library has no document and reports why`() throws {
        let run = try RunOfApp("console.log(typeof document, typeof DOMParser, typeof window)") {
            frame, runner in
            guard case .library(let id, .document) = frame else { return }
            try runner.send(.failure(id: id, message: "not built"))
        }
        #expect(
            run.lines == [
                "The document is not available in this run: not built",
                "undefined undefined object",
            ])
        #expect(run.end == .exit(0))
    }

    @Test func `changes are observed, and events bubble to the window`() throws {
        let run = try PageRun(
            [
                "app.js": """
                new MutationObserver((records) => console.log(records.map((r) => r.type).join()))
                    .observe(document.body, { childList: true, attributes: true, subtree: true });
                document.body.append("x", document.createElement("hr"));
                document.body.dataset.fooBar = 1;
                const path = [];
                const hear = (target, name) => {
                    for (const capture of [true, false]) {
                        target.addEventListener("ring", (event) => {
                            path.push(name + event.eventPhase);
                            if (name === "p") throw new Error("of a listener");
                        }, capture);
                    }
                };
                const p = document.querySelector("p");
                for (const [target, name] of [[window, "w"], [document, "d"], [p, "p"]]) hear(target, name);
                console.log(p.dispatchEvent(new CustomEvent("ring", { bubbles: true })), path.join(" "));
                p.onclick = function (event) { console.log(this === p, event.type); return false; };
                console.log(p.dispatchEvent(new MouseEvent("click", { cancelable: true })));
                """,
                "app.html": "<p>a",
            ], runsPage: false)
        #expect(
            run.lines == [
                "true w1 d1 p2 p2 d3 w3", "true click", "false",
                "childList,attributes",
            ])
        #expect(run.errors.map(\.message) == ["Error: of a listener", "Error: of a listener"])
    }

    @Test func `scripts added by a script run, those of markup do not`() throws {
        let run = try PageRun(
            [
                "app.js": """
                const inline = document.createElement("script");
                inline.text = "console.log('inline')";
                document.head.append(inline);
                for (const src of ["more.js", "none.js"]) {
                    const script = document.createElement("script");
                    script.src = src;
                    script.onload = script.onerror = (event) => console.log(src, event.type);
                    document.head.append(script);
                }
                document.body.innerHTML = "<script>console.log('never')</" + "script><i onclick='console.log(event.type, this.tagName)'>x</i>";
                document.querySelector("i").click();
                """,
                "app.html": "<p>a", "more.js": "console.log('more')",
            ], runsPage: false)
        #expect(
            run.lines == [
                "inline", "click I", "more", "more.js load",
                "The script 'none.js' is missing: the host answered 404.", "none.js error",
            ])
    }

    @Test func `dialogs without a user are answered with no and logged`() throws {
        let run = try RunOfApp(
            """
            alert("hello");
            console.log(confirm("sure?"), prompt("who?"), open("/x"));
            location.href = "/elsewhere";
            location.hash = "part";
            onhashchange = () => console.log(location.href);
            requestAnimationFrame((time) => console.log(typeof time));
            onerror = (message, file, line) => { console.log(message, file, line); return true; };
            setTimeout("null.x", 30);
            """)
        #expect(
            run.lines == [
                "hello", "sure? [no user to confirm: answered no]",
                "who? [no user to answer: no answer]",
                "The app wanted to open '/x'; a headless run opens no other page.",
                "false null null",
                "The app wanted to go to 'http://localhost/elsewhere'; a headless run stays on its page.",
                "http://localhost/#part", "number",
                "TypeError: null is not an object (evaluating 'null.x')  1",
            ])
        #expect(run.end == .exit(0))
    }
}
