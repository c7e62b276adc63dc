import Foundation
import TestSupport
import Testing

/// The owner's dashboard in a browser: how it is opened and locked, and who cannot use it.
@Suite(.blocking, .serialized) struct DashboardTests {
    private static let isOpen =
        "document.querySelector('.rail nav')?.hidden === false && location.hash === ''"
    private static let isLocked =
        "document.querySelector('h1')?.innerText === 'This page is locked'"
    /// A call with the token of the page.
    private static let status = """
        const headers = { Authorization: `Bearer ${localStorage["nervous-session"]}` };
        return (await fetch("/api/v1/status", { headers })).status;
        """

    private static func link(_ host: PublishedHost) throws -> String {
        try host.sandbox.nervous("open", "--no-browser").output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test
    func `it opens by its link, survives a reload, and is locked by the page and the command`()
        throws
    {
        let host = try PublishedHost([])
        let browser = try Browser(host.sandbox)
        try browser.open(host.host.url("/"))
        try browser.wait(until: Self.isLocked)
        #expect(try browser.text.contains("nervous open"))
        let link = try Self.link(host)
        // In the same tab: only another query makes the browser load the page.
        try browser.open(link)
        try browser.wait(until: Self.isOpen)
        #expect(try browser.run("return location.href") == host.host.url("/"))
        #expect(try browser.settle(Self.status) == "200")
        #expect(
            try browser.run("return document.documentElement.innerHTML.includes('nvs_')") == "false"
        )
        _ = try browser.run("location.reload(); return 1")
        try browser.wait(until: Self.isOpen)
        try browser.open(host.host.url("/apps"))
        try browser.wait(until: Self.isOpen)
        #expect(try browser.run("return document.cookie + sessionStorage.length") == "0")
        // An address at which there is nothing leads to the overview.
        try browser.open(host.host.url("/nothing/%3Cb%3Ehere"))
        #expect(
            try browser.run("return document.querySelector('h1').innerText")
                == "There is no page at this address")
        #expect(try browser.text.contains("/nothing/%3Cb%3Ehere"))
        #expect(try browser.text.contains("nervous open"))
        #expect(
            try browser.run(
                "return getComputedStyle(document.querySelector('.alone')).display") == "grid")
        _ = try browser.run("document.querySelector('a.button').click(); return 1")
        try browser.wait(until: "location.pathname === '/' && \(Self.isOpen)")
        // A used link opens nothing by itself; this browser stays signed in.
        let token = try browser.run("return localStorage['nervous-session']")
        try browser.open("about:blank")
        try browser.open(link)
        #expect(try browser.run("return localStorage['nervous-session']") == token)
        // "Lock this page"
        let locked = try browser.settle(
            """
            const { lock } = await import("/dashboard/dashboard.js");
            await lock();
            return `${localStorage["nervous-session"]}`;
            """)
        #expect(locked == "undefined")
        try browser.wait(until: Self.isLocked)
        let ended = try host.sandbox.curl(
            "-H", "Authorization: Bearer \(token)", host.host.url("/api/v1/status"))
        #expect(ended.status == 401)
        try browser.open(link)
        try browser.wait(until: Self.isLocked)
        // The command locks it in all browsers, and the page notices at its next call.
        try browser.open("about:blank")
        try browser.open(try Self.link(host))
        try browser.wait(until: Self.isOpen)
        let unused = try Self.link(host)
        let lock = try host.sandbox.nervous("lock")
        #expect(lock.output == "Locked the dashboard: ended 1 session.\n")
        let status = try browser.settle(Self.status)
        #expect(status == "401")
        _ = try browser.run("location.reload(); return 1")
        try browser.wait(until: Self.isLocked)
        try browser.open(unused)
        try browser.wait(until: Self.isLocked)
        #expect(try host.sandbox.nervous("lock").output == "The dashboard was not open.\n")
    }

    /// The text of the column "Now" of a sensor on the overview.
    private static func now(_ sensor: String) -> String {
        """
        [...document.querySelectorAll("tbody tr")]
          .find((row) => row.querySelector(".id")?.textContent === "\(sensor)")
          ?.querySelector("td.number").textContent
        """
    }

    @Test func `the overview takes six requests and 120 kB, and shows what the API has`() throws {
        let host = try PublishedHost([])
        let browser = try Browser(host.sandbox, recordsTraffic: true)
        try browser.open(try Self.link(host))
        try browser.wait(until: Self.isOpen)
        _ = try browser.settle(
            """
            const { api } = await import("/dashboard/dashboard.js");
            const declare = (id, field) => api(`/sensors/${id}`, { method: "PUT", json: { title: id, fields: [field] } });
            await declare("temperature.test", { name: "temperature", unit: "Cel" });
            await declare("door.test", { name: "state", kind: "state" });
            const now = Date.now();
            await api("/sensors/temperature.test/samples", { json: [
              { t: now - 120_000, temperature: 19 }, { t: now - 1000, temperature: 21.34 }] });
            await api("/sensors/door.test/samples", { json: { t: now - 1000, state: "ajar" } });
            """)
        let isDrawn = """
            performance.getEntriesByName("nervous-first-chart").length > 0
              && document.querySelector("#room") !== null
              && \(Self.now("temperature.test")) !== undefined
            """
        // The first time with these sensors, and then as usual.
        for isUsual in [false, true] {
            try browser.open("about:blank")
            _ = try browser.traffic
            try browser.open(host.host.url("/"))
            try browser.wait(until: isDrawn)
            // What the page asks for later.
            _ = try browser.settle(
                "await new Promise((resolve) => { setTimeout(resolve, 3000); })")
            guard isUsual else { continue }
            let traffic = try browser.traffic
            let origin = host.host.url("")
            #expect(traffic.allSatisfy { $0.url.hasPrefix(origin) })
            let paths = traffic.map {
                $0.url.dropFirst(origin.count).prefix { $0 != "?" }
            }
            #expect(
                paths.sorted() == [
                    "/", "/api/v1/stats", "/api/v1/stream", "/dashboard/begin.js",
                    "/dashboard/dashboard.css", "/dashboard/dashboard.js",
                ])
            #expect(traffic.reduce(0) { $0 + $1.bytes } <= 120_000, "\(traffic)")
            // They were received, and compressed.
            #expect(traffic.allSatisfy { $0.bytes > 0 })
        }
        for (value, shown) in [(21.34, "21.3\u{202F}°C"), (-7.06, "−7.1\u{202F}°C")] {
            if value < 0 {
                _ = try browser.settle(
                    """
                    const { api } = await import("/dashboard/dashboard.js");
                    await api("/sensors/temperature.test/samples", { json: { t: Date.now(), temperature: \(value) } });
                    """)
            }
            try browser.wait(until: "\(Self.now("temperature.test")) === '\(shown)'")
            let latest = try browser.settle(
                """
                const { api } = await import("/dashboard/dashboard.js");
                return (await api("/sensors/temperature.test/latest")).temperature;
                """)
            #expect(latest == "\(value)")
        }
        try browser.wait(until: "\(Self.now("door.test")) === 'ajar'")
        #expect(try browser.console.isEmpty)
    }

    @Test func `the page of a sensor shows the level in use after another was rejected`() throws {
        let host = try PublishedHost([])
        let browser = try Browser(host.sandbox)
        try browser.open(try Self.link(host))
        try browser.wait(until: Self.isOpen)
        try browser.open(host.host.url("/sensors/accelerometer"))
        try browser.wait(until: "document.querySelector('input[name=level]:checked') !== null")
        let level = "return document.querySelector('input[name=level]:checked').value"
        let before = try browser.run(level)
        _ = try browser.run(
            """
            const send = window.fetch;
            window.fetch = (address, options) => options?.method === "PUT"
              ? Promise.reject(new TypeError("The level was rejected.")) : send(address, options);
            document.querySelector("input[name=level]:not(:checked)").click();
            return 1;
            """)
        try browser.wait(until: "document.body.innerText.includes('The level was rejected.')")
        #expect(try browser.run(level) == before)
    }

    @Test func `its pages install from a URL, verify the log and check the machine`() throws {
        let sandbox = try Sandbox()
        let package = try sandbox.package()
        let server = try ScriptedServer { $0.answer(package) }
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try browser.open(
            try sandbox.nervous("open", "--no-browser").output
                .trimmingCharacters(in: .whitespacesAndNewlines))
        try browser.wait(until: Self.isOpen)
        try browser.open(host.url("/apps"))
        try browser.wait(until: "document.querySelector('.drop input[type=url]') !== null")
        _ = try browser.run(
            """
            const input = document.querySelector('.drop input[type=url]');
            input.value = '\(server.url("/demo.nervous"))';
            input.form.requestSubmit();
            return 1;
            """)
        func button(_ words: String) -> String {
            "[...document.querySelectorAll('main button')].find((one) => one.innerText.includes('\(words)'))"
        }
        try browser.wait(until: "\(button("demo")) !== undefined")
        #expect(try browser.text.contains(server.url("/demo.nervous")))
        #expect(sandbox.installedFiles.isEmpty)
        _ = try browser.run("\(button("demo")).click(); return 1")
        try browser.wait(until: "document.querySelector('main a[href=\"/apps/demo\"]') !== null")
        #expect(!sandbox.installedFiles.isEmpty)

        try browser.open(host.url("/activity"))
        try browser.wait(until: "\(button("Verify every entry")) !== undefined")
        _ = try browser.run("\(button("Verify every entry")).click(); return 1")
        try browser.wait(until: "/[0-9]+ entries are intact/.test(document.body.innerText)")
        #expect(try browser.text.contains("It cannot show that entries are missing at its end"))

        try browser.open(host.url("/machine"))
        let found = "document.querySelector('main')?.textContent"
        try browser.wait(until: "\(found)?.includes('no program gains privileges')")
        // No test machine has a GPS receiver.
        try browser.wait(until: "\(found)?.includes('Remedy: sudo apt-get install gpsd')")
        try browser.wait(until: "\(button("Test the sandbox")) !== undefined")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `it opens the page of an app, also after a reload of that page`() throws {
        let host = try PublishedHost("hello-world-master")
        try host.allow("hello-world", "sensor:gyroscope")
        let browser = try Browser(host.sandbox)
        try browser.open(try Self.link(host))
        try browser.wait(until: Self.isOpen)
        for time in 1...2 {
            if time == 1 {
                _ = try browser.settle(
                    """
                    const { api } = await import("/dashboard/dashboard.js");
                    const { url } = await api("/apps/hello-world/launch", { method: "POST" });
                    location.assign(url);
                    """)
            } else {
                _ = try browser.run(
                    "document.querySelector('.question.plain button').click(); return 1")
            }
            try browser.wait(until: "window.$ && $('#gyrodata').text() !== ''")
            #expect(
                try browser.run("return location.hash + document.referrer")
                    == host.host.url("/"))
            _ = try browser.run("location.reload(); return 1")
            try browser.wait(until: "location.pathname === '/apps/hello-world'")
            try browser.wait(until: "document.querySelector('.question.plain button') !== null")
            #expect(
                try browser.run("return document.querySelector('.question.plain').innerText")
                    .contains("The page of hello-world was reloaded"))
            #expect(try browser.run("return location.hash") == "")
        }
    }

    /// A page of an app, of another port of localhost, and of another name.
    @Test func `no other page can read, frame, open or call it`() throws {
        let host = try PublishedHost("hello-world-master")
        let server = try ScriptedServer { connection in
            connection.answer(
                Array("<!doctype html><p>evil</p>".utf8), headers: "Content-Type: text/html\r\n")
        }
        let browser = try Browser(host.sandbox, names: ["evil.test"])
        try browser.open(try Self.link(host))
        try browser.wait(until: Self.isOpen)
        let token = try browser.run("return localStorage['nervous-session']")
        let dashboard = host.host.url("")
        for place in [
            server.url("/", host: "evil.test"), server.url("/", host: "localhost"),
            try host.link("hello-world"),
        ] {
            try browser.open(place)
            #expect(try browser.run("return `${localStorage['nervous-session']}`") == "undefined")
            for path in ["/", "/apps", "/dashboard/dashboard.js", "/api/v1/status"] {
                let read = try browser.settle(
                    "return (await fetch('\(dashboard)\(path)')).status")
                #expect(read == "TypeError", "\(place) \(path)")
            }
            // Not even with a token that was stolen.
            let stolen = try browser.settle(
                """
                const headers = { Authorization: "Bearer \(token)" };
                return (await fetch("\(dashboard)/api/v1/dashboard", { headers, method: "POST" })).status;
                """)
            #expect(stolen == "TypeError", "\(place)")
            let own = try browser.settle(
                """
                const headers = { Authorization: "Bearer \(token)" };
                return (await fetch("/api/v1/status", { headers })).status;
                """)
            #expect(own == (place.contains("hello-world") ? "403" : "200"), "\(place)")
            let module = try browser.settle(
                "return Object.keys(await import('\(dashboard)/dashboard/dashboard.js')).length")
            #expect(module == "TypeError", "\(place)")
            let frame = try browser.settle(
                """
                const frame = document.createElement("iframe");
                frame.src = "\(dashboard)/";
                document.body.append(frame);
                await new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 3000); });
                return frame.contentDocument === null ? "closed" : frame.contentDocument.body.innerText;
                """)
            #expect(["closed", ""].contains(frame), "\(place) \(frame)")
            // A window that it opens belongs to another group.
            let opened = try browser.settle(
                """
                const other = open("\(dashboard)/");
                if (other === null) return "blocked";
                for (let tries = 0; tries < 300 && !other.closed; tries++) {
                  await new Promise((resolve) => setTimeout(resolve, 20));
                }
                return other.closed ? "severed" : "reachable";
                """)
            #expect(["blocked", "severed"].contains(opened), "\(place)")
        }
        // The session goes on.
        try browser.open(host.host.url("/"))
        #expect(try browser.settle(Self.status) == "200")
        // A link on another site opens the page, without a nonce for the code.
        let link = try Self.link(host)
        try browser.open(server.url("/", host: "evil.test"))
        _ = try browser.run("location.href = '\(link)'; return 1")
        try browser.wait(until: "location.hostname === 'localhost' && location.hash === ''")
        #expect(try browser.run("return localStorage['nervous-session']") == token)
        let sessions = try host.sandbox.nervous("lock").output
        #expect(sessions == "Locked the dashboard: ended 1 session.\n")
    }

    @Test func `a token is refused over the control socket, and is in no file of the host`() throws
    {
        let log = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).log"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox, errors: log)
        let browser = try Browser(sandbox)
        let link = try sandbox.nervous("open").output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try browser.open(link)
        try browser.wait(until: Self.isOpen)
        let token = try browser.run("return localStorage['nervous-session']")
        let sockets = try FileManager.default.subpathsOfDirectory(atPath: sandbox.path("run"))
        let socket = try #require(sockets.first { $0.hasSuffix(".sock") })
        for (header, status) in [("Accept: */*", 200), ("Authorization: Bearer \(token)", 401)] {
            let answer = try sandbox.curl(
                "--unix-socket", sandbox.path("run") + "/\(socket)", "-H", header,
                "http://localhost/api/v1/status")
            #expect(answer.status == status, "\(header)")
        }
        #expect(
            try sandbox.curl("-H", "Authorization: Bearer \(token)", host.url("/api/v1/status"))
                .status == 200)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let code = try #require(link.split(separator: "=").last.map(String.init))
        let files = try FileManager.default.subpathsOfDirectory(atPath: sandbox.data)
        for path in files.map({ "\(sandbox.data)/\($0)" }) + [log] {
            let content = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
            for secret in [token, code] {
                #expect(content.firstRange(of: Data(secret.utf8)) == nil, "\(path)")
            }
        }
        // The next host does not know the session.
        let next = try ServingHost(sandbox)
        let answer = try sandbox.curl(
            "-H", "Authorization: Bearer \(token)", next.url("/api/v1/status"))
        #expect(answer.status == 401)
    }
}
