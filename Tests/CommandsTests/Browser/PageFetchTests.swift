import Foundation
import TestSupport
import Testing

/// Pages in a browser call other servers through the host, with every API.
@Suite(.blocking, .serialized) struct PageFetchTests {
    private static func server(_ listening: Listening) throws -> ScriptedServer {
        try ScriptedServer { connection in
            listening.note(connection.request)
            switch connection.target {
            case "/old": connection.redirect(to: "/new")
            case "/none":
                connection.answer(
                    Array("gone".utf8), status: "404 Not Found", headers: "X-Two: 2\r\n")
            default:
                connection.answer(
                    Array(#"{"celsius": 7}"#.utf8),
                    headers: "Content-Type: application/json\r\nSet-Cookie: a=b\r\n")
            }
        }
    }

    @Test func `fetch, XMLHttpRequest and jQuery reach a server that was allowed`() throws {
        let listening = Listening()
        let server = try Self.server(listening)
        let host = try PublishedHost("hello-world-master")
        try host.allow("hello-world", "sensor:gyroscope", "net:http://127.0.0.1:\(server.port)")
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link("hello-world"))
        try browser.wait(until: "$('#gyrodata').text() !== ''")
        let fetched = try browser.settle(
            """
            const answer = await fetch('\(server.url("/old"))#x', {
              headers: { 'X-Mine': '1', Authorization: 'Basic own' },
            });
            const { celsius } = await answer.json();
            const none = await fetch('\(server.url("/none"))', { method: 'POST', body: 'a' });
            const two = none.headers.get('x-two');
            return [answer.status, answer.redirected, answer.url, celsius, none.status, two].join();
            """)
        #expect(fetched == "200,true,\(server.url("/new")),7,404,2")
        let called = try browser.settle(
            """
            const call = new XMLHttpRequest();
            call.open('GET', '\(server.url("/none"))');
            call.setRequestHeader('X-Mine', 'xhr');
            await new Promise((resolve) => { call.onload = resolve; call.send(); });
            const first = [call.status, call.responseText, call.getResponseHeader('X-Two'), call.responseURL];
            call.open('PUT', '\(server.url("/old"))', false);
            call.send('in step');
            return [...first, call.status, call.responseText, call.responseURL].join();
            """)
        #expect(
            called
                == "404,gone,2,\(server.url("/none")),200,{\"celsius\": 7},\(server.url("/new"))")
        let asked = try browser.settle(
            """
            const found = await $.ajax('\(server.url("/data"))', { dataType: 'json' });
            const lost = await new Promise((resolve) => {
              $.ajax('\(server.url("/none"))').fail((call) => resolve(call.status + call.responseText));
            });
            return `${found.celsius} ${lost}`;
            """)
        #expect(asked == "7 404gone")
        let heads = listening.requests.joined(separator: "\n").lowercased()
        #expect(heads.contains("x-mine: 1") && heads.contains("x-mine: xhr"))
        #expect(heads.contains("authorization: basic own"))
        for word in ["bearer", "cookie:", "origin:", "referer:", "sec-", "mozilla", "nervous-req"] {
            #expect(!heads.contains(word), "\(word)")
        }
    }

    @Test func `a refused call looks like an unreachable server`() throws {
        let listening = Listening()
        let server = try Self.server(listening)
        let host = try PublishedHost("hello-world-master")
        try host.deny("hello-world", "net")
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link("hello-world"))
        let seen = try browser.settle(
            """
            const url = '\(server.url("/data"))';
            const seen = [await fetch(url).catch((error) => String(error))];
            const call = new XMLHttpRequest();
            call.onload = () => seen.push('loaded');
            call.open('GET', url);
            await new Promise((resolve) => { call.onerror = resolve; call.send(); });
            seen.push(call.status, call.responseText, call.getAllResponseHeaders());
            const now = new XMLHttpRequest();
            now.open('GET', url, false);
            try { now.send(); } catch (error) { seen.push(error.name); }
            await new Promise((resolve) => $.ajax(url).fail((call) => resolve(seen.push(call.status))));
            const { problem, privilege } = await nervous.net.fetch(url).catch((error) => error);
            return [...seen, problem, privilege].join();
            """)
        #expect(
            seen
                == "TypeError: Failed to fetch,0,,,NetworkError,0,denied,net:http://127.0.0.1:\(server.port)"
        )
        #expect(listening.requests.isEmpty)
        #expect(
            try browser.console.contains { $0.contains("You have denied net to hello-world") })
    }

    @Test func `a page still calls its own host as before`() throws {
        let host = try PublishedHost("hello-world-master")
        try host.allow("hello-world", "sensor:gyroscope")
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link("hello-world"))
        let seen = try browser.settle(
            """
            const call = new XMLHttpRequest();
            call.open('GET', '/nervous-api/gyr/getGyr', false);
            call.send();
            const own = new XMLHttpRequest();
            own.open('GET', '/none');
            await new Promise((resolve) => { own.onload = resolve; own.send(); });
            return [call.status, call.responseURL === new URL('/nervous-api/gyr/getGyr', location).href,
              call.getResponseHeader('content-type'), own.status, own instanceof XMLHttpRequest].join();
            """)
        #expect(seen == "200,true,application/json,404,true")
    }
}
