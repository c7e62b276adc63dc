import Foundation
import TestSupport
import Testing

/// Programs that are connected in the dashboard.
@Suite(.blocking, .serialized) struct ProgramPageTests {
    private static func submit(
        _ program: String, _ browser: Browser, name: String? = nil, allow: String = ""
    ) throws {
        let change = name.map { #"form.querySelector("input").value = "\#($0)";"# } ?? ""
        _ = try browser.run(
            """
            const form = document.querySelector("form.program");
            const select = form.querySelector("select");
            select.value = "\(program)";
            select.dispatchEvent(new Event("change"));
            \(change)
            form.querySelectorAll("input")[1].value = "\(allow)";
            form.requestSubmit();
            return 1;
            """)
    }

    /// Waits until the settings of a program are shown.
    private static func settings(_ title: String, _ browser: Browser) throws {
        try browser.wait(
            until: "document.querySelector('.secret h3')?.innerText === '\(title)'")
    }

    @Test func `the settings of a program work as they are shown`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try PhonePageTests.open(browser, sandbox, host)
        try Self.submit("prometheus", browser, allow: "sensor:load sensor:memory:stats")
        try Self.settings("Settings of Prometheus", browser)
        let file = "The token, in the file /etc/prometheus/nervous-token"
        let token = try PhonePageTests.value(file, browser)
        let scraping = try PhonePageTests.value("prometheus.yml, scrape_configs", browser)
        let target = try #require(scraping.firstMatch(of: /targets: \["([^"]+)"\]/)?.1)
        let scraped = try sandbox.curl(
            "-H", "Authorization: Bearer \(token)", "http://\(target)/metrics")
        #expect(scraped.status == 200)
        #expect(scraped.body.contains(#"sensor_info{sensor="load""#))
        #expect(scraped.body.contains(#"sensor_info{sensor="memory""#))
        #expect(!scraped.body.contains(#"sensor="uptime""#))
        try browser.wait(
            until: """
                [...document.querySelectorAll("main tbody th")].some((one) => one.innerText === "prometheus")
                """)

        try Self.submit("curl", browser, name: "script", allow: "sensor:load")
        try Self.settings("In a shell", browser)
        let command = try PhonePageTests.value("Command", browser)
        let listed = try Invocation(
            "/bin/sh", ["-c", command.replacing("curl ", with: "curl -s ")],
            environment: sandbox.environment)
        #expect(listed.output.contains(#""id":"load""#), "\(listed.output)\(listed.errors)")

        try Self.submit("grafana", browser, allow: "sensor:load")
        try Self.settings("Settings of Grafana", browser)
        let source = try PhonePageTests.value("A file in provisioning/datasources", browser)
        let url = try #require(source.firstMatch(of: /url: (\S+)/)?.1)
        let bearer = try #require(source.firstMatch(of: /httpHeaderValue1: (Bearer \S+)/)?.1)
        let names = try sandbox.curl(
            "-H", "Authorization: \(bearer)", "\(url)/api/v1/label/sensor/values")
        #expect(names.body.contains(#"["load"]"#), "\(names.body)")
        #expect(try browser.console.isEmpty)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `Home Assistant has a fixed name, and an assistant gets no token`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try browser.devtools(
            "Emulation.setDeviceMetricsOverride",
            ["width": 320, "height": 700, "deviceScaleFactor": 1, "mobile": false])
        try PhonePageTests.open(browser, sandbox, host)
        try Self.submit("assistant", browser, name: "claude")
        try Self.settings("Settings of the assistant", browser)
        let assistant = try PhonePageTests.value("The configuration of the assistant", browser)
        #expect(assistant.contains(#""args": ["mcp", "--as", "claude"]"#))
        #expect(
            try browser.run("return document.documentElement.innerHTML.includes('nvs_')") == "false"
        )
        #expect(try !sandbox.nervous("token", "list").output.contains("claude"))
        try Self.submit("home-assistant", browser, allow: "sensor:load:stats")
        try Self.settings("Settings of this host for Home Assistant", browser)
        #expect(try sandbox.nervous("token", "list").output.contains("home-assistant"))
        let isNarrow = "return innerWidth === 320 && document.documentElement.scrollWidth <= 320"
        #expect(try browser.run(isNarrow) == "true")
        // The name is taken now, and the settings of the first token stay.
        try Self.submit("home-assistant", browser)
        try browser.wait(
            until: """
                document.querySelector("form.program .notice")?.innerText.includes("already exists")
                """)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
