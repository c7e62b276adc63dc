import Foundation
import TestSupport
import Testing

/// Parts of the dashboard's scripts that need no page, run by an app.
@Suite(.blocking)
struct DashboardScriptTests {
    /// A part of the module dashboard.js, as a script.
    private static func part(_ name: String) throws -> String {
        try String(
            contentsOfFile: "\(Binary.repository)/Sources/Provider/Resources/dashboard/\(name)",
            encoding: .utf8
        ).replacing("\nexport ", with: "\n")
    }

    @Test func `the last hour keeps a point for each minute, however often samples arrive`()
        throws
    {
        let sandbox = try Sandbox()
        let (points, recent) = (try Self.part("charts/points.js"), try Self.part("core/recent.js"))
        let folder = try sandbox.app(
            """
            const HOUR_MS = 36e5, WINDOW_MS = 6e4;
            \(points)
            \(recent)
            const field = { name: "busy" }, start = 28_000_000 * WINDOW_MS;
            const from = Array.from({ length: 60 }, (_, index) => start + (index - 60) * WINDOW_MS);
            const busy = { mean: from.map(() => 1), max: from.map(() => 2), count: from.map(() => 60) };
            for (const seconds of [1, 20, 45, 60]) {
              const recent = new Recent();
              recent.load({ from, busy }, field);
              // The first samples lie in the last minute that was loaded.
              for (let t = start - 10_000; t < start + HOUR_MS; t += seconds * 1000) recent.take({ t, busy: 3 }, field);
              const minutes = recent.t.map((t) => Math.floor(t / WINDOW_MS));
              console.log(seconds, recent.t.length, new Set(minutes).size, minutes.at(-1) - minutes[0]);
            }
            """)
        let run = try sandbox.nervous("run", folder, "--allow-all")
        #expect(
            run.output == "1 61 61 60\n20 61 61 60\n45 61 61 60\n60 61 61 60\n", "\(run.errors)")
    }
}
