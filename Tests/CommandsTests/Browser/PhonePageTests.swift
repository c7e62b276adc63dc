import Foundation
import TestSupport
import Testing

/// Phones that are added in the dashboard.
@Suite(.blocking, .serialized) struct PhonePageTests {
    private static let steps =
        #"{"payload":[{"name":"pedometer","time":1698501144401740000,"values":{"steps":12}}]}"#

    /// Opens the page with the form.
    static func open(
        _ browser: Browser, _ sandbox: Sandbox, _ host: ServingHost
    ) throws {
        try browser.open(
            try sandbox.nervous("open", "--no-browser").output
                .trimmingCharacters(in: .whitespacesAndNewlines))
        try browser.wait(until: "document.querySelector('.rail nav')?.hidden === false")
        try browser.open(host.url("/machine"))
        try browser.wait(until: "document.querySelector('form.phone') !== null")
    }

    private static func submit(_ name: String, _ app: String, _ browser: Browser) throws {
        _ = try browser.run(
            """
            const form = document.querySelector("form.phone");
            form.querySelector("input").value = "\(name)";
            form.querySelector("select").value = "\(app)";
            form.requestSubmit();
            return 1;
            """)
    }

    /// Adds a phone and waits for its settings and for its row in the list of tokens.
    private static func add(_ name: String, _ app: String, _ browser: Browser) throws {
        try submit(name, app, browser)
        try browser.wait(
            until: "document.querySelector('.secret h3')?.innerText === 'The phone \(name)'")
        try browser.wait(
            until: """
                [...document.querySelectorAll("main tbody th")].some((one) => one.innerText === "\(name)")
                """)
    }

    /// The value of a shown setting.
    static func value(_ term: String, _ browser: Browser) throws -> String {
        try browser.run(
            """
            return [...document.querySelectorAll(".settings > div")]
              .find((one) => one.querySelector("dt").innerText === "\(term)")?.querySelector("code, pre").innerText;
            """)
    }

    /// What a scanner reads on the screen.
    private static func scan(_ browser: Browser, _ sandbox: Sandbox) throws -> String {
        _ = try browser.run(
            "document.querySelector('svg.qr').scrollIntoView({ block: 'center' }); return 1")
        let shot = try browser.devtools("Page.captureScreenshot", ["format": "png"])
        let text = try #require((shot as? [String: Any])?["data"] as? String)
        let file = sandbox.path("screen.png")
        try #require(Data(base64Encoded: text)).write(to: URL(filePath: file))
        let read = try Invocation(
            "/usr/bin/zbarimg", ["--raw", "-q", file], environment: sandbox.environment)
        return read.output.trimmingCharacters(in: .newlines)
    }

    @Test func `a phone is added by the form, its code is scanned, and its token publishes`() throws
    {
        let sandbox = try Sandbox()
        try sandbox.configure(#"{"lan": {"port": 0, "addresses": ["127.0.0.2"]}}"#)
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try Self.open(browser, sandbox, host)
        try Self.add("ann", "sensor-logger", browser)
        let (url, header) = try (
            Self.value("Push URL", browser), Self.value("Header Authorization", browser)
        )
        let (authority, pin) = try (Self.value("File", browser), Self.value("Pin", browser))
        #expect(url.hasPrefix("https://127.0.0.2:"))
        let pushed = try sandbox.curl(
            "--cacert", authority, "-H", "Authorization: \(header)", "--json", Self.steps, url)
        #expect(pushed.status == 200, "\(pushed.body)")
        #expect(try sandbox.nervous("query", "steps.ann").output.contains("12"))
        for theme in ["light", "dark"] {
            try browser.devtools(
                "Emulation.setEmulatedMedia",
                ["features": [["name": "prefers-color-scheme", "value": theme]]])
            #expect(
                try Self.scan(browser, sandbox) == "\(url)\nAuthorization: \(header)\nPin: \(pin)",
                "\(theme)")
        }
        #expect(
            try browser.run(
                """
                const code = document.querySelector("svg.qr");
                return `${code.getAttribute("role")}: ${code.getAttribute("aria-label")}`;
                """) == "img: QR code with the settings of ann")
        // Another app, and a phone whose name is taken.
        try Self.add("ben", "owntracks", browser)
        #expect(try Self.value("User", browser) == "ben")
        #expect(try Self.scan(browser, sandbox).hasPrefix("owntracks:///config?inline="))
        #expect(try browser.console.isEmpty)
        try Self.submit("ann", "owntracks", browser)
        try browser.wait(
            until: """
                document.querySelector("form.phone .notice")?.innerText
                  .includes("An app or program named ann already exists.")
                """)
        // The settings are shown once.
        try browser.click(
            """
            [...document.querySelectorAll(".secret button")].find((one) => one.innerText === "Hide it")
            """)
        #expect(
            try browser.run("return document.documentElement.innerHTML.includes('nvs_')") == "false"
        )
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `without the listener the page has settings for this machine, and says what to do`()
        throws
    {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try browser.devtools(
            "Emulation.setDeviceMetricsOverride",
            ["width": 320, "height": 700, "deviceScaleFactor": 1, "mobile": false])
        try Self.open(browser, sandbox, host)
        try Self.add("ann", "influx", browser)
        let url = try Self.value("URL", browser)
        #expect(url == host.url("/api/v1/push/influx"))
        let token = try Self.value("Token", browser)
        let pushed = try sandbox.curl(
            "-H", "Authorization: Token \(token)", "--data-binary",
            "light,phone=ann illuminance=120 1795243511000000000", "\(url)/api/v2/write")
        #expect(pushed.status == 204, "\(pushed.body)")
        #expect(try browser.run("return document.querySelector('svg.qr') === null") == "true")
        let shown = try browser.text
        #expect(shown.contains("nervous serve --lan 8443"))
        #expect(shown.contains("nervous token revoke ann"))
        // It fits into a narrow window.
        let isNarrow = "return innerWidth === 320 && document.documentElement.scrollWidth <= 320"
        #expect(try browser.run(isNarrow) == "true")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
