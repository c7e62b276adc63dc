import Foundation
import TestSupport
import Testing

/// Unmodified nervousnet apps in a real browser.
@Suite(.blocking, .serialized) struct PublishedPageTests {
    /// The visible text of each app after its calls are answered.
    static let texts: [(app: String, name: String, end: String, text: String)] = [
        (
            "Everything-Axon-master", "every-thing", "$('#ticks').text() === '3'",
            """
            Home
            acceleration\t1 -2 9.5
            the same id\tuntouched
            synchronous\t200 1
            history\ttrue 1
            unknown\t404
            literal\t404
            log\twritten
            number\t36 characters
            inline\tran
            picture\t8 wide
            ticks\t3
            Details
            Nothing
            """
        ),
        (
            "Broken-master", "broken", "document.body.innerText.includes('second')",
            "The page is there. The second script ran."
        ),
        (
            "hello-world-master", "hello-world",
            "document.body.innerText.includes('X:') && document.body.innerText.includes('host')",
            "Hello\nJS API 0.1, host API 1\nX:0.25 Y:0.5 Z:-0.75"
        ),
        (
            "Clicks-main", "click-me-again", "$('#bytes').text() !== ''",
            """
            End
            first, and no other of its name
            second
            entry 1
            entry 2
            entry 1
            entry 2
            The end
            of it.
            kept  as
            it is
            Moment: undefined
            back at List, Next 2
            4096 bytes, 312385
            Back
            """
        ),
        // Last: its errors each second would be attributed to the page after it.
        (
            "type-error-main", "type-error", "document.body.innerText.includes('2')",
            "Failures: 2"
        ),
    ]

    @Test func `published apps show their data`() throws {
        let host = try PublishedHost(
            "Everything-Axon-master", "Broken-master", "type-error-main", "hello-world-master",
            "Clicks-main")
        try host.allow("every-thing", "sensor:accelerometer", "identity")
        try host.allow("hello-world", "sensor:gyroscope")
        let browser = try Browser(host.sandbox)
        for (app, name, end, text) in Self.texts {
            try browser.open(try host.link(name))
            try browser.wait(until: end)
            #expect(try browser.text == text, "\(app)")
            let console = try browser.console.joined(separator: "\n")
            switch name {
            case "every-thing": #expect(console.contains("cdn.example.org/plotly"))
            case "click-me-again": #expect(console.contains("cdn.example.org/moment"))
            case "broken": #expect(console.contains("SyntaxError"))
            case "type-error": #expect(console.contains("TypeError"))
            default: #expect(console.isEmpty, "\(console)")
            }
        }
    }

    @Test func `a page runs only the scripts it was installed with`()
        throws
    {
        let host = try PublishedHost("Everything-Axon-master")
        try host.allow("every-thing", "sensor:accelerometer", "identity")
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link("every-thing"))
        try browser.wait(until: "$('#ticks').text() === '3'")
        // Scripts added later were not part of the installation.
        _ = try browser.run(
            """
            window.evil = 0;
            const text = '<img src=none onerror="evil++"><b id=late onclick="evil++">x</b>';
            document.querySelector('.app-content').insertAdjacentHTML('beforeend', text);
            const script = document.createElement('script');
            script.textContent = 'evil++';
            document.body.append(script);
            document.getElementById('late').click();
            """)
        _ = try browser.settle("await new Promise((resolve) => setTimeout(resolve))")
        #expect(try browser.run("return window.evil") == "0")
        // As in a headless run, a script of the app may compile text.
        #expect(try browser.run("return eval('1 + 1') + new Function('return 1')()") == "3")
        _ = try browser.run("document.querySelector('.app-button').click()")
        #expect(try browser.text == "Details\nMore of it.")
        _ = try browser.run("App.back()")
        #expect(try browser.text.hasPrefix("Home\n"))
    }

    @Test func `a page waits for the owner's answer and then shows its data`() throws {
        let host = try PublishedHost("hello-world-master")
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link("hello-world"))
        try browser.wait(until: "document.body.innerText.includes('host API 1')")
        var pending = ""
        try waitUntil(otherwise: { try browser.text }) {
            pending = try host.sandbox.nervous("permissions", "--pending").output
            return pending.contains("sensor:gyroscope")
        }
        #expect(pending.contains("hello-world"))
        #expect(try browser.run("return $('#gyrodata').text()") == "")
        try host.allow("hello-world", "sensor:gyroscope")
        try browser.wait(until: "$('#gyrodata').text() === 'X:0.25 Y:0.5 Z:-0.75'")
        let left = try host.sandbox.nervous("permissions", "--pending")
        #expect(left.errors.contains("No request waits for your decision."))
    }

    @Test func `libraries of the system load and work`() throws {
        let host = try PublishedHost("Broken-master")
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link("broken"))
        for (path, name) in [("leaflet/leaflet.js", "L"), ("chart.js/chart.js", "Chart")] {
            let loaded = try browser.settle(
                """
                const script = document.createElement('script');
                script.src = '/lib/\(path)';
                await new Promise((resolve, reject) => {
                  script.onload = resolve; script.onerror = reject; document.body.append(script);
                });
                return typeof window['\(name)'];
                """)
            #expect(["object", "function"].contains(loaded), "\(name)")
        }
    }
}
