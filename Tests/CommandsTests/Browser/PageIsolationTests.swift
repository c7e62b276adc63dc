import Foundation
import TestSupport
import Testing

/// Pages of other apps and of other servers have no access.
@Suite(.blocking, .serialized) struct PageIsolationTests {
    @Test func `the token of a page is not accessible to other scripts`() throws {
        let host = try PublishedHost("hello-world-master")
        try host.allow("hello-world", "sensor:gyroscope")
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link("hello-world"))
        try browser.wait(until: "$('#gyrodata').text() !== ''")
        #expect(try browser.run("return location.hash + document.referrer") == "")
        // No later change by a script of the page reveals the token.
        let seen = try browser.settle(
            """
            const seen = [];
            const { apply } = Reflect;
            let isLooking = false;
            const look = (value) => {
              seen[seen.length] = `${value}`;
              const headers = value instanceof Request ? value.headers : value;
              if (headers instanceof Headers) headers.forEach((text) => { seen[seen.length] = text; });
            };
            const spy = (object, name) => {
              const old = Object.getOwnPropertyDescriptor(object, name);
              const wrap = (body) => function () {
                if (!isLooking) {
                  isLooking = true;
                  try {
                    look(this);
                    for (let index = 0; index < arguments.length; index++) look(arguments[index]);
                  } catch {
                    // An opaque response reveals nothing.
                  }
                  isLooking = false;
                }
                return new.target ? Reflect.construct(body, arguments, new.target) : apply(body, this, arguments);
              };
              if (old.get) Object.defineProperty(object, name, { ...old, get: wrap(old.get) });
              else Object.defineProperty(object, name, { ...old, value: wrap(old.value) });
            };
            for (const name of ['set', 'append', 'get', Symbol.iterator]) spy(Headers.prototype, name);
            for (const name of ['open', 'send', 'setRequestHeader']) spy(XMLHttpRequest.prototype, name);
            for (const name of ['startsWith', 'toString']) spy(String.prototype, name);
            for (const name of ['headers', 'url']) spy(Request.prototype, name);
            for (const name of ['origin', 'pathname']) spy(URL.prototype, name);
            spy(Reflect, 'apply');
            spy(Function.prototype, 'call'); spy(Function.prototype, 'apply');
            spy(Array.prototype, Symbol.iterator); spy(JSON, 'stringify');
            spy(window, 'fetch'); spy(window, 'Request'); spy(window, 'Headers');
            const first = await fetch('/nervous-api/gyr/getGyr');
            isLooking = false;
            const second = await new Promise((resolve) => {
              const call = new XMLHttpRequest();
              call.open('GET', '/nervous-api/gyr/getGyr');
              call.onload = () => resolve(call.status);
              call.send();
            });
            const everything = seen.join(' ') + first.headers.get('authorization');
            isLooking = true;
            return `${first.status} ${second} ${everything.includes('getGyr')} ${everything.includes('Bearer')}`;
            """)
        #expect(seen == "200 200 true false")
        // Calls to other servers do not contain it.
        let listening = Listening()
        let other = try ScriptedServer { connection in
            listening.note(connection.request)
            connection.answer([], headers: "Access-Control-Allow-Origin: *\r\n")
        }
        try host.deny("hello-world", "net")
        let outcome = try browser.settle(
            "return (await fetch('\(other.url("/api/v1/me"))')).status")
        #expect(outcome == "TypeError")
        #expect(listening.requests.isEmpty)
    }

    @Test func `a reloaded page and a used link lead to the dashboard`() throws {
        let host = try PublishedHost("hello-world-master")
        let browser = try Browser(host.sandbox)
        let status = "return (await fetch('/api/v1/me')).status"
        let dashboard = host.host.url("/apps/hello-world")
        func open(_ url: String) throws {
            try browser.open("about:blank")
            try browser.open(url)
        }
        func isAtDashboard() throws -> Bool {
            try browser.wait(until: "location.hostname === 'localhost'")
            let place = try browser.run("return location.href")
            // Neither the code nor anything of it is at the other origin.
            return place.hasPrefix(dashboard) && !place.contains("nvs_")
        }
        try open("http://hello-world.localhost:\(host.host.port)/")
        #expect(try isAtDashboard())
        let link = try host.link("hello-world")
        try open(link)
        #expect(try browser.settle(status) == "200")
        _ = try browser.run("location.reload(); return 1")
        #expect(try isAtDashboard())
        try open(link)
        #expect(try isAtDashboard())
        // Also while another link was not used yet: the page is shown, and its script leads there.
        let next = try host.link("hello-world")
        try open(link)
        #expect(try isAtDashboard())
        try open(next)
        #expect(try browser.settle(status) == "200")
        #expect(try browser.run("return localStorage.length + sessionStorage.length") == "0")
    }

    @Test func `a page of another site can neither redeem a launch code nor detect an app`()
        throws
    {
        let host = try PublishedHost("hello-world-master")
        let server = try ScriptedServer { connection in
            connection.answer(Array("<p>evil</p>".utf8), headers: "Content-Type: text/html\r\n")
        }
        let browser = try Browser(host.sandbox, names: ["evil.test"])
        let link = try host.link("hello-world")
        try browser.open(server.url("/", host: "evil.test"))
        // Whether the app is installed or not, and the file is there or not.
        var seen: Set<String> = []
        for place in ["hello-world", "not-installed"] {
            for path in ["", "app.js", "nothing", "api/v1/me"] {
                seen.insert(
                    try browser.settle(
                        """
                        const url = 'http://\(place).localhost:\(host.host.port)/\(path)';
                        return (await fetch(url, { mode: 'no-cors' })).type;
                        """))
            }
        }
        #expect(seen == ["TypeError"])
        // The page opens, but the host did not mark it: another page had it opened.
        _ = try browser.run("location.href = '\(link)'; return 1")
        try browser.wait(until: "location.hostname === 'localhost'")
        // The code is used up.
        try browser.open("about:blank")
        try browser.open(link)
        try browser.wait(until: "location.hostname === 'localhost'")
    }

    @Test func `a page of one app cannot access another app`() throws {
        let host = try PublishedHost("hello-world-master", "Broken-master")
        try host.allow("hello-world", "sensor:gyroscope")
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link("hello-world"))
        _ = try browser.run("localStorage.setItem('secret', 'mine'); return 1")
        let first = "http://hello-world.localhost:\(host.host.port)"
        try browser.open(try host.link("broken"))
        #expect(try browser.run("return localStorage.getItem('secret')") == "null")
        for path in ["/nervous-api/gyr/getGyr", "/api/v1/me", "/app.js"] {
            #expect(
                try browser.settle("return (await fetch('\(first)\(path)')).status") == "TypeError")
        }
        // Each app has its own requests and grants.
        let own = try browser.settle(
            "return (await fetch('/api/v1/sensors/gyroscope/latest', { signal: AbortSignal.timeout(500) })).status"
        )
        #expect(own == "TimeoutError")
        let frame = try browser.settle(
            """
            const frame = document.createElement('iframe');
            frame.src = '\(first)/';
            document.body.append(frame);
            await new Promise((resolve) => setTimeout(resolve, 500));
            return frame.contentDocument === null ? 'closed' : frame.contentDocument.body.innerText;
            """)
        #expect(!frame.contains("Hello"))
    }

    @Test func `a page of another server cannot access the host`() throws {
        let host = try PublishedHost("hello-world-master")
        try host.allow("hello-world", "sensor:gyroscope")
        let server = try ScriptedServer { connection in
            connection.answer(Array("<p>evil</p>".utf8), headers: "Content-Type: text/html\r\n")
        }
        let browser = try Browser(host.sandbox, names: ["evil.test"])
        // A page of the app is open in the same browser.
        try browser.open(try host.link("hello-world"))
        try browser.wait(until: "$('#gyrodata').text() !== ''")
        let port = host.host.port
        for origin in ["http://hello-world.localhost:\(port)", "http://localhost:\(port)"] {
            try browser.open(server.url("/", host: "evil.test"))
            for path in ["/nervous-api/gyr/getGyr", "/api/v1/apps", "/health", "/app.js"] {
                #expect(
                    try browser.settle("return (await fetch('\(origin)\(path)')).status")
                        == "TypeError")
                let opaque = try browser.settle(
                    "return (await (await fetch('\(origin)\(path)', { mode: 'no-cors' })).text()).length"
                )
                #expect(["0", "TypeError"].contains(opaque))
            }
            for tag in ["img", "script"] {
                let loaded = try browser.settle(
                    """
                    const element = document.createElement('\(tag)');
                    return await new Promise((resolve) => {
                      element.onload = () => resolve('loaded');
                      element.onerror = () => resolve('refused');
                      element.src = '\(origin)/\(tag == "img" ? "picture.png" : "app.js")';
                      document.body.append(element);
                    });
                    """)
                #expect(loaded == "refused", "\(tag) \(origin)")
            }
            let socket = try browser.settle(
                """
                const socket = new WebSocket('\(origin.replacing("http", with: "ws"))/api/v1/me');
                return await new Promise((resolve) => {
                  socket.onopen = () => resolve('open');
                  socket.onerror = () => resolve('refused');
                });
                """)
            #expect(socket == "refused")
            _ = try browser.run(
                """
                const form = document.createElement('form');
                form.method = 'POST';
                form.action = '\(origin)/api/v1/apps/hello-world/launch';
                document.body.append(form);
                form.submit();
                """)
            try browser.wait(
                until: "location.hostname !== 'evil.test' && document.readyState === 'complete'")
            #expect(try browser.text.contains("cross-origin"))
        }
        // A foreign name that resolves to this machine is rejected.
        try browser.open("http://evil.test:\(port)/")
        #expect(try browser.text.contains("misdirected"))
        // The policy of that response lets its page call nothing.
        #expect(try browser.settle("return (await fetch('/api/v1/me')).status") == "TypeError")
    }
}
