import Foundation
import TestSupport
import Testing

/// Attacks on the dashboard by texts of apps, and by the moment at which an app asks.
@Suite(.blocking, .serialized) struct HostilePageTextTests {
    /// Each creates an element named `naughty`, or runs a script, where a text becomes markup.
    private static let texts = [
        "<img id=naughty src=x onerror=\"window.naughty=1\">",
        "<script id=naughty>window.naughty=1</script>",
        "\"'><svg id=naughty onload=window.naughty=1>",
        "</title></textarea></style><iframe id=naughty srcdoc=x>",
        "<a id=naughty href=\"javascript:window.naughty=1\">Always allow</a>",
        "javascript:window.naughty=1//",
        "&lt;b id=naughty&gt;<b id=naughty>Nervous: allowed</b>",
        "${window.naughty=1} {{window.naughty=1}} <!--",
        "</p></bdi></code><b id=naughty>\u{5E9}\u{5DC}\u{5D5}\u{5DD} signed by Nervous",
    ]
    private static let isOpen =
        "document.querySelector('.rail nav')?.hidden === false && location.hash === ''"
    /// What became more than a text.
    ///
    /// The pages themselves have no such elements.
    private static let harm = """
        const found = [...document.querySelectorAll("#naughty, iframe, object, embed, script:not([src]), img")]
          .map((one) => one.outerHTML);
        found.push(...[...document.querySelectorAll("[href], [src], [action]")]
          .map((one) => one.getAttribute("href") ?? one.getAttribute("src") ?? one.getAttribute("action"))
          .filter((link) => /^\\s*javascript:/i.test(link)));
        found.push(...[...document.querySelectorAll("*")].flatMap((one) => [...one.attributes])
          .filter(({ name }) => /^on|^srcdoc$/.test(name)).map(({ name }) => name));
        if (window.naughty !== undefined) found.push("a script ran");
        if (/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.documentElement.textContent + document.title)) {
          found.push("a text is reordered");
        }
        return found.join();
        """

    private static func signIn(_ sandbox: Sandbox, _ browser: Browser) throws {
        try browser.open(
            try sandbox.nervous("open", "--no-browser").output
                .trimmingCharacters(in: .whitespacesAndNewlines))
        try browser.wait(until: isOpen)
    }

    /// Starts an app in the background, as the page does: what it asks for is not decided yet.
    private static func start(_ name: String, _ browser: Browser) throws {
        let run = try browser.settle(
            """
            const { api } = await import("/dashboard/dashboard.js");
            const { run } = await api("/apps/\(name)/runs", { json: { background: true } });
            await api(`/runs/${run}/start`, { method: "POST" });
            return "started";
            """)
        #expect(run == "started")
    }

    private static func json(_ object: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    @Test func `texts of apps, sensors, sessions and logs stay texts on every page`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try Self.signIn(sandbox, browser)
        for (number, text) in Self.texts.enumerated() {
            let app = try AppFolder(sandbox, "naughty-\(number)")
            try app.write(
                "package.json",
                try Self.json([
                    "name": app.name, "version": "1.0.0", "title": text, "description": text,
                    "author": text, "license": text,
                    "privileges": [
                        ["sensor": "naughty.s\(number)", "reason": text],
                        ["notify": true, "reason": text],
                    ],
                ]))
            try app.write(
                "app.js",
                """
                const text = \(try Self.json(["text": text])).text;
                console.log(text);
                console.error(text);
                nervous.notify(text, { title: text }).catch(() => {});
                nervous.sensor("naughty.s\(number)").latest().catch((error) => console.log(error.message));
                // The request stays open for as long as this test takes.
                const ask = () => nervous.permissions.request({ name: "naughty.s\(number)" })
                  .finally(() => setTimeout(ask, 1000));
                ask();
                """)
            let made = try browser.settle(
                """
                const { api } = await import("/dashboard/dashboard.js");
                const { text } = \(try Self.json(["text": text]));
                const fields = [{ name: "value", unit: "Cel" }, { name: "state", kind: "state" }];
                await api("/sensors/naughty.s\(number)", { method: "PUT", json: { title: text, fields } });
                await api("/sensors/naughty.s\(number)/samples", {
                  json: [{ t: Date.now(), value: 1, state: text }],
                });
                await api("/sessions", { json: { id: "s\(number)", name: text, description: text,
                  sensors: ["naughty.s\(number)"] } });
                return "made";
                """)
            #expect(made == "made", "\(text)")
            let grant = try sandbox.nervous("install", app.path)
            #expect(grant.code == 0, "\(grant.errors)")
            _ = try sandbox.nervous("permissions", "grant", app.name, "notify")
            try Self.start(app.name, browser)
        }
        let visible = Self.texts[0].replacing("\"", with: "\\\"")
        var pages = ["/", "/apps", "/activity", "/sessions", "/machine"]
        // Elsewhere there are names only, or nothing until it is chosen.
        let shows = [
            "/", "/apps", "/sessions", "/apps/naughty-0", "/sensors/naughty.s0", "/sessions/s0",
        ]
        for number in Self.texts.indices {
            pages += [
                "/apps/naughty-\(number)", "/sensors/naughty.s\(number)", "/sessions/s\(number)",
            ]
        }
        for page in pages {
            try browser.open(host.url(page))
            try browser.wait(until: "document.querySelector('main h1') && \(Self.isOpen)")
            try browser.wait(
                until: "document.querySelector('#page [aria-busy], #page[aria-busy]') === null")
            try browser.wait(until: "document.querySelector('.rail .host .live')")
            if shows.contains(page) {
                try browser.wait(until: "document.body.textContent.includes(\"\(visible)\")")
            }
            let harm = try browser.run(Self.harm)
            #expect(harm == "", "\(page)")
        }
        // The console of a run, and the dialog of each app.
        for number in Self.texts.indices {
            try browser.open(host.url("/apps/naughty-\(number)"))
            try browser.wait(until: "document.querySelector('.console li')")
            #expect(try browser.run(Self.harm) == "", "\(number)")
            _ = try browser.settle(
                """
                const { api, review } = await import("/dashboard/dashboard.js");
                for (;;) {
                  const { items } = await api("/requests");
                  const request = items.find(({ client }) => client === "naughty-\(number)");
                  if (request) return await review(request);
                  await new Promise((resolve) => setTimeout(resolve, 50));
                }
                """)
            try browser.wait(until: "document.querySelector('dialog[open] .claims .claim')")
            #expect(try browser.run(Self.harm) == "", "the dialog of \(number)")
        }
        let console = try browser.console.filter { !$0.contains("favicon") }
        #expect(console == [])
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    private static func asking(_ sandbox: Sandbox) throws -> AppFolder {
        let app = try AppFolder(sandbox, "asks-suddenly")
        try app.set("1.0.0", asks: #"[{"sensor": "memory", "reason": "To be quick"}]"#)
        try app.write(
            "app.js",
            """
            nervous.permissions.request({ name: "memory" })
              .then(({ state }) => console.log(`the answer is ${state}`));
            """)
        return app
    }

    @Test func `answers are dead at first, none has the focus, and Escape denies`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try Self.signIn(sandbox, browser)
        let install = try sandbox.nervous("install", try Self.asking(sandbox).path)
        #expect(install.code == 0, "\(install.errors)")
        try Self.start("asks-suddenly", browser)
        try browser.wait(until: "document.querySelector('.question .button.main')")
        // Presses every answer as soon as it is in the document, and notes for how long it is dead.
        let dead = try browser.settle(
            """
            const { api, review } = await import("/dashboard/dashboard.js");
            const { items } = await api("/requests");
            const shown = new Promise((resolve) => new MutationObserver((_, observer) => {
              const answers = [...document.querySelectorAll("dialog .answer")];
              if (answers.length === 0) return;
              observer.disconnect();
              for (const answer of answers) answer.click();
              resolve(performance.now());
            }).observe(document.body, { subtree: true, childList: true }));
            await review(items[0]);
            const begun = await shown;
            const isDead = () => [...document.querySelectorAll("dialog .answer")]
              .every((one) => one.ariaDisabled === "true");
            const focused = [document.activeElement.matches("dialog h2")];
            while (isDead()) {
              if (performance.now() - begun < 400) {
                document.querySelector("dialog .yes .answer:last-child").click();
              }
              await new Promise((resolve) => setTimeout(resolve, 5));
            }
            focused.push(document.activeElement.matches("dialog h2"));
            const { items: grants } = await api("/grants/asks-suddenly");
            const waits = (await api("/requests")).items.length;
            return [performance.now() - begun >= 490, focused.join("+"), grants.length, waits,
              document.querySelector("dialog").open].join();
            """)
        #expect(dead == "true,true+true,0,1,true")
        // Enter does nothing there, and a change of the window makes the answers dead again.
        try browser.press(.enter)
        #expect(try browser.run("return document.querySelector('dialog').open") == "true")
        let moved = try browser.run(
            """
            dispatchEvent(new Event("focus"));
            const answer = document.querySelector("dialog .yes .answer:last-child");
            answer.click();
            return answer.ariaDisabled;
            """)
        #expect(moved == "true")
        try browser.wait(
            until:
                "document.querySelector('dialog .yes .answer:last-child').ariaDisabled !== 'true'")
        #expect(
            try sandbox.nervous("permissions", "asks-suddenly", "--json").output.contains("granted")
                == false)
        try browser.press(.escape)
        try browser.wait(until: "document.querySelector('dialog') === null")
        try browser.open(host.url("/apps/asks-suddenly"))
        try browser.wait(until: "/the answer is (denied|prompt)/.test(document.body.innerText)")
        #expect(
            try sandbox.nervous("permissions", "asks-suddenly", "--json").output.contains("granted")
                == false)
        // Tab from the heading of the dialog gets to a denial first.
        try Self.start("asks-suddenly", browser)
        try browser.click("document.querySelector('.question .button.main')")
        try browser.wait(until: "document.activeElement?.matches('dialog h2')")
        try browser.press(.tab)
        #expect(try browser.run("return document.activeElement.matches('.no .answer')") == "true")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `a page of another port can neither frame, read nor post`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let server = try ScriptedServer { connection in
            connection.answer(
                Array("<!doctype html><p>another port</p>".utf8),
                headers: "Content-Type: text/html\r\n")
        }
        let browser = try Browser(sandbox)
        try Self.signIn(sandbox, browser)
        let token = try browser.run("return localStorage['nervous-session']")
        try browser.open(server.url("/", host: "localhost"))
        let dashboard = host.url("")
        // A form and a request without CORS are sent without a preflight.
        let form = try browser.settle(
            """
            const frame = Object.assign(document.createElement("iframe"), { name: "target" });
            document.body.append(frame);
            const form = Object.assign(document.createElement("form"), {
              action: "\(dashboard)/api/v1/dashboard", method: "post", target: "target" });
            document.body.append(form);
            const over = new Promise((resolve) => { frame.onload = resolve; });
            form.submit();
            await over;
            const said = [frame.contentDocument === null ? "closed" : "open"];
            for (const [path, type] of [["/api/v1/dashboard", "text/plain"],
              ["/api/v1/launch", "text/plain"], ["/api/v1/tokens", "application/x-www-form-urlencoded"]]) {
              const call = fetch("\(dashboard)" + path, { mode: "no-cors", method: "POST",
                headers: { "Content-Type": type }, body: '{"name":"evil","owner":true}' });
              said.push(await call.then(({ type }) => type, ({ name }) => name));
            }
            return said.join();
            """)
        // Not even an opaque answer is let through.
        #expect(form == "closed,TypeError,TypeError,TypeError")
        let read = try browser.settle(
            """
            return (await fetch("\(dashboard)/api/v1/sensors",
              { headers: { Authorization: "Bearer \(token)" } })).status;
            """)
        #expect(read == "TypeError")
        let framed = try browser.settle(
            """
            const frame = Object.assign(document.createElement("iframe"), { src: "\(dashboard)/" });
            const over = new Promise((resolve) => { frame.onload = resolve; });
            document.body.append(frame);
            await over;
            return `${frame.contentDocument} ${frame.contentWindow.length}`;
            """)
        #expect(framed == "null 0")
        #expect(try sandbox.nervous("token", "list").output.contains("evil") == false)
        #expect(try sandbox.nervous("lock").output == "Locked the dashboard: ended 1 session.\n")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
