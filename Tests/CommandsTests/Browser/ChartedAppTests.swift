import Foundation
import TestSupport
import Testing

/// The charts on the pages of the bundled apps.
@Suite(.blocking, .serialized) struct ChartedAppTests {
    /// The charts of the page: for each its heading, and whether something is drawn on it.
    private static let charts = """
        [...document.querySelectorAll("#charts figure")].map((figure) => {
          const canvas = figure.querySelector("canvas");
          if (canvas.width === 0 || canvas.height === 0) return "empty";
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return data.some((byte) => byte !== 0) ? figure.querySelector("figcaption").innerText : "empty";
        }).join("; ")
        """

    private static func open(_ app: String, _ browser: Browser, _ sandbox: Sandbox) throws {
        // A link that differs in its fragment alone would not load the page again.
        try browser.open("about:blank")
        let link = try sandbox.nervous("open", app, "--no-browser").output
        try browser.open(link.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test(arguments: [
        ("hello-sensors", ["sensor:cpu", "sensor:memory"], ["busy", "usedPercent"]),
        ("load-watch", ["sensor:cpu"], ["busy"]),
    ])
    func `an app draws the sensors that it may read`(
        app: String, privileges: [String], fields: [String]
    ) throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        #expect(try sandbox.nervous("install", "\(Binary.repository)/jsapps/\(app)").code == 0)
        let browser = try Browser(sandbox)
        // Nothing is drawn without permission, and the page goes on.
        for privilege in privileges {
            #expect(
                try sandbox.nervous("permissions", "deny", app, privilege).code == 0)
        }
        try Self.open(app, browser, sandbox)
        try browser.wait(until: "document.getElementById('console').innerText.trim() !== ''")
        #expect(try browser.run("return \(Self.charts)") == "")
        for privilege in privileges {
            #expect(
                try sandbox.nervous("permissions", "grant", app, privilege).code == 0)
        }
        try Self.open(app, browser, sandbox)
        for field in fields {
            try browser.wait(until: "\(Self.charts).includes('\(field)')")
        }
        #expect(
            try browser.run("return document.querySelectorAll('#charts figure').length")
                == "\(fields.count)")
        // The axis has the times of this place, and the chart can be read with the keyboard.
        _ = try browser.run(
            """
            const canvas = document.querySelector("#charts canvas");
            canvas.focus();
            canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
            return 1;
            """)
        try browser.wait(until: "/[0-9]/.test(document.querySelector('#charts output').innerText)")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `an instrument has a chart for each unit of its numbers`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let app = "external-hardware"
        #expect(try sandbox.nervous("install", "\(Binary.repository)/jsapps/\(app)").code == 0)
        let added = try sandbox.nervous(
            "sensors", "add", "weather", "--field", "temperature:Cel", "--field", "humidity:%",
            "--field", "dewPoint:Cel", "--field", "sky::state")
        #expect(added.code == 0, "\(added.errors)")
        #expect(try sandbox.nervous("permissions", "grant", app, "sensor:weather").code == 0)
        let browser = try Browser(sandbox)
        try Self.open(app, browser, sandbox)
        try browser.wait(until: "document.querySelectorAll('#charts figure').length === 2")
        let made = try sandbox.nervous("token", "create", "station", "--owner", "--json").output
        let token = try #require(made.firstMatch(of: /nvs_[A-Za-z0-9_-]+/).map { String($0.0) })
        for humidity in [40, 41] {
            let sent = try sandbox.curl(
                "-H", "Authorization: Bearer \(token)", "--json",
                #"{"temperature":21.5,"humidity":\#(humidity),"dewPoint":9,"sky":"clear"}"#,
                host.url("/api/v1/sensors/weather/samples"))
            #expect(sent.status == 201 || sent.status == 200, "\(sent)")
        }
        for heading in ["temperature, dewPoint", "humidity"] {
            try browser.wait(until: "\(Self.charts).includes('\(heading)')")
        }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
