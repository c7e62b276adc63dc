import RunnerProtocol
import TestSupport
import Testing

/// Pages are parsed and run their scripts in a browser's order.
@Suite(.blocking)
struct PageTests {
    @Test func `scripts run in the order of a browser and find the page as parsed so far`()
        throws
    {
        let run = try PageRun([
            "app.html": """
            <!doctype html><title>t</title>
            <script defer src="defer.js"></script>
            <script async src="async.js"></script>
            <script>console.log("head", document.body, document.readyState)</script>
            <body onload="console.log('onload')"><p id="one">one</p>
            <script src="first.js"></script>
            <script>console.log("inline", document.querySelectorAll("p").length,
                document.currentScript !== null)</script>
            <script type="text/template">not a script</script>
            <script>document.write("<p id=three>three</p><script>console.log('written')</" + "script>")</script>
            <p id="two">two</p>
            <script>console.log(document.getElementById("three").nextElementSibling.localName)</script>
            """,
            "first.js": """
            console.log("first");
            Promise.resolve().then(() => console.log("microtask"));
            setTimeout(() => console.log("timer", document.readyState));
            """,
            "defer.js": "console.log('defer', document.readyState)",
            "async.js":
                "document.addEventListener('DOMContentLoaded', () => console.log('parsed'))",
        ])
        #expect(
            run.lines == [
                "head null loading", "first", "microtask", "inline 1 true", "written", "script",
                "defer interactive", "parsed", "onload", "timer complete",
            ])
        #expect(run.run.end == .exit(0))
    }

    @Test
    func `a script that fails does not stop others, and errors have their position in the page`()
        throws
    {
        let run = try PageRun([
            "app.html": """
            <script>
            let x = ;
            </script>
            <script src="https://cdn.example.org/chart.js"></script>
            <script src="none.js"></script>
            <p><script>

            null.x
            </script>
            <script src="js/bad.js"></script>
            <script>console.log("goes on")</script>
            """,
            "js/bad.js": "console.log('bad');\nnope()",
        ])
        #expect(
            run.lines == [
                "The script 'https://cdn.example.org/chart.js' is missing: an app can load only files of its own package and of the host.",
                "The script 'none.js' is missing: the host answered 404.", "bad", "goes on",
            ])
        #expect(
            run.errors.map { "\($0.file):\($0.line)" } == [
                "app.html:2", "app.html:8", "js/bad.js:2",
            ])
        #expect(run.calls.allSatisfy { $0.hasPrefix("http://my-app.localhost/") })
        #expect(run.run.end == .exit(1))
    }

    @Test func `the visible text is reported when it changes, like a browser's innerText`() throws {
        let run = try PageRun([
            "app.html": """
            <!doctype html><html><head><title>no</title><link rel=stylesheet href=s.css>
            <style>.up { text-transform: uppercase } #x .y { display: block }</style></head><body>
            <h1>Head   <b>line</b></h1><p class=up>para one</p><p>para<br>two</p>
            <div hidden>no</div><div style="display: none">no</div><div class="gone">no</div>
            <span>in</span> <i>line</i><div>block</div><ul><li>a</li><li>b</li></ul>
            <table><tr><th>1</th><td>2</td></tr><tr><td>3</td></tr></table>
            <pre>x
              y</pre><textarea>no</textarea><button>press</button>
            <div id="x"><span class="y">b1</span><span class="y">b2</span></div>
            <noscript>no</noscript><details><summary>sum</summary>no</details>
            <script>fetch("shown").then(() => { document.querySelector("h1").hidden = true; });</script>
            """,
            "s.css":
                "@media print { p { display: none } } .gone, .x { display: none; } /* p { display: none } */",
        ])
        let rest = """
            PARA ONE

            para
            two

            in line
            block
            a
            b
            1\t2
            3
            x
              y
            press
            b1
            b2
            sum
            """
        #expect(run.views == ["Head line\n\n\(rest)", rest])
    }

    @Test func `the document is reported at the end`() throws {
        let run = try PageRun([
            "app.html":
                "<!doctype html><p id=a>x<script>a.textContent = '<&>'; a.className = 'b'</script>"
        ])
        #expect(
            run.markup == """
                <!DOCTYPE html>
                <html><head></head><body><p id="a" class="b">&lt;&amp;&gt;</p></body></html>
                """)
    }

    @Test func `jQuery works: ready handlers, events, effects and templates`() throws {
        let run = try PageRun([
            "jquery.js": PageRun.jquery,
            "app.html": """
            <script src="jquery.js"></script><script src="app.js"></script>
            <div id="out"></div><div id="dup">1</div><div id="dup">2</div>
            <button onclick="pressed(this)">Press</button><ul></ul><p>fades</p>
            """,
            "app.js": """
            function pressed(button) { $("ul").append($("<li>").text("pressed " + button.innerText)); }
            $(function () {
                $("#out").html("<b>" + $.fn.jquery.split(".")[0] + "</b>").css("color", "red");
                $("button").trigger("click").on("click", (event) => console.log(event.type, event.target.tagName));
                $("button")[0].click();
                $.ajax({ url: "/json", dataType: "json", async: false, success: (data) => console.log("waited", data.a) });
                console.log("after");
                $.post("/echo", { a: 1, b: "x y" }, (text) => console.log(text));
                $.ajax("/none").fail((xhr, status) => console.log(status, xhr.status, xhr.statusText));
                $.getJSON("http://example.org/", () => {}).fail((xhr, status) => console.log(status, xhr.status));
                console.log($("#dup").text(), $("[id=dup]").length, $(":visible").length > 5, $("p").is(":hidden"));
                $("p").fadeOut(30, () => console.log("faded", $("p").is(":visible")));
            });
            """,
        ]) { path, body in
            switch path {
            case "json": "{\"a\": [1]}"
            case "echo": "POST " + String(decoding: body, as: UTF8.self)
            default: nil
            }
        }
        #expect(run.errors.isEmpty)
        #expect(
            run.lines.prefix(4) == ["click BUTTON", "waited [ 1 ]", "after", "1 2 true false"])
        #expect(
            Set(run.lines.dropFirst(4)) == [
                "POST a=1&b=x+y", "error 404 Not Found", "error 0", "faded false",
                "A call to http://example.org failed: elsewhere",
            ])
        #expect(run.views.last == "3\n1\n2\nPress\npressed Press\npressed Press")
    }

    @Test func `elements with an id are global names that scripts may redefine`() throws {
        let run = try PageRun([
            "app.html": """
            <p id="one">1</p><p id="two">2</p><p id="three">3</p>
            <script>console.log(one.textContent, window.two.id, typeof four)</script>
            <script>var two, three = 5; console.log(two, three); one = 7; console.log(one)</script>
            """
        ])
        #expect(run.lines == ["1 two undefined", "undefined 5", "7"])
    }

    @Test func `a run with a lifetime ends with it and reports its last text`() throws {
        let run = try PageRun(
            [
                "app.html":
                    "<p id=a>0<script>let n = 0; setInterval(() => { a.textContent = ++n }, 5)</script>"
            ],
            lifetime: 1_000)
        #expect(run.run.end == .exit(0))
        #expect(run.views.count >= 2 && run.views.count <= 14)
        #expect(run.markup?.contains("<p id=\"a\">\(run.views.last ?? "")") == true)
    }

    @Test func `each error of a page is reported with its file and line`() throws {
        let run = try PageRun([
            "app.html": "<p>still here<script src=app.js></script>",
            "app.js": """
            let left = 3; const id = setInterval(() => { if (!--left) clearInterval(id);
                undefined.x;
            }, 1)
            """,
        ])
        #expect(run.errors.count == 3)
        #expect(run.errors.allSatisfy { $0.file == "app.js" && $0.line == 2 })
        #expect(run.views == ["still here"])
    }
}
