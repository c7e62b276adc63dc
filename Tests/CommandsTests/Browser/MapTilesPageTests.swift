import Foundation
import TestSupport
import Testing

/// The map of a session on tiles from the owner's folder.
@Suite(.blocking, .serialized) struct MapTilesPageTests {
    private static let route = """
        <?xml version="1.0"?><gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
        <trkpt lat="47.3769" lon="8.5417"><time>2026-03-01T08:00:00Z</time></trkpt>
        <trkpt lat="47.3800" lon="8.5480"><time>2026-03-01T08:10:00Z</time></trkpt>
        <trkpt lat="47.3850" lon="8.5550"><time>2026-03-01T08:20:00Z</time></trkpt>
        </trkseg></trk></gpx>
        """

    /// Opens the dashboard, imports the route and shows its session.
    private static func showSession(_ browser: Browser, _ sandbox: Sandbox, _ host: ServingHost)
        throws
    {
        try browser.open(
            try sandbox.nervous("open", "--no-browser").output
                .trimmingCharacters(in: .whitespacesAndNewlines))
        try browser.wait(until: "document.querySelector('.rail nav')?.hidden === false")
        let session = try browser.settle(
            """
            const { api } = await import("/dashboard/dashboard.js");
            const made = await api("/workouts", { method: "POST", body: `\(route)`,
              headers: { "Content-Type": "application/gpx+xml" } });
            return (await api("/sessions")).items[0].id;
            """)
        try browser.open(host.url("/sessions/\(session)"))
        try browser.wait(until: "document.querySelector('svg.map .way') !== null")
    }

    @Test func `tiles are drawn below the route, and a missing one leaves the map bare`() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path("tiles")
        let configuration = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(
            atPath: configuration, withIntermediateDirectories: true)
        try #"{"tiles": "\#(folder)"}"#.write(
            toFile: "\(configuration)/config.json", atomically: true, encoding: .utf8)
        // One pixel, written for this test.
        let pixel = try #require(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNIm3kGAAM0Acy9zTxsAAAAAElFTkSuQmCC"
            ))
        // Around Zürich at one level; in every second column the files are no pictures.
        let zoom = 14
        let columns = 8576...8584
        for column in columns {
            let place = "\(folder)/\(zoom)/\(column)"
            try FileManager.default.createDirectory(
                atPath: place, withIntermediateDirectories: true)
            for row in 5732...5740 {
                let isPicture = column % 2 == 0
                try (isPicture ? pixel : Data("<svg/>".utf8)).write(
                    to: URL(filePath: "\(place)/\(row).png"))
            }
        }
        try "© Nobody <b>&</b>".write(
            toFile: "\(folder)/attribution.txt", atomically: true, encoding: .utf8)
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try Self.showSession(browser, sandbox, host)
        try browser.wait(until: "document.querySelectorAll('svg.map .tiles image').length > 0")
        #expect(try browser.text.contains("Map tiles from your folder: © Nobody <b>&</b>"))
        // Each is shown, with its size, below the line of the route.
        let drawn = try browser.settle(
            """
            await new Promise((resolve) => { setTimeout(resolve, 1000); });
            const images = [...document.querySelectorAll("svg.map .tiles image")];
            const sizes = await Promise.all(images.map(async (image) => {
              const shown = new Image();
              shown.src = image.getAttribute("href");
              await shown.decode();
              return shown.naturalWidth;
            }));
            const [map] = document.querySelectorAll("svg.map");
            const isBelow = map.querySelector(".tiles").compareDocumentPosition(map.querySelector(".way"))
              & Node.DOCUMENT_POSITION_FOLLOWING;
            return `${sizes.every((size) => size === 1)} ${isBelow > 0} ${images.length > 1}`;
            """)
        #expect(drawn == "true true true")
        // The start of the route is on the tile that its position names.
        let isOnTile = try browser.run(
            """
            const x = (8.5417 / 360 + 0.5) * 2 ** \(zoom);
            const images = [...document.querySelectorAll("svg.map .tiles image")];
            const starts = [...document.querySelectorAll("svg.map circle.post")].map((one) => Number(one.getAttribute("cx")));
            const size = Number(images[0].getAttribute("width")) - 0.5;
            const left = Math.min(...images.map((one) => Number(one.getAttribute("x"))));
            // Only every second column has pictures, so the distance of the start to one is a whole number of tiles.
            return starts.some((start) => {
              const apart = (start - left) / size - (x - Math.floor(x));
              return Math.abs(apart - Math.round(apart)) < 0.02;
            });
            """)
        #expect(isOnTile == "true")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `without the setting there are no tiles, and nothing is asked for them`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try Self.showSession(browser, sandbox, host)
        #expect(
            try browser.run("return document.querySelectorAll('svg.map image').length") == "0")
        #expect(
            try browser.run("return document.querySelector('svg.map .ruler') !== null") == "true")
        #expect(try !browser.text.contains("Map tiles from your folder"))
        let asked = try browser.run(
            """
            return performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)
              .filter((path) => path.startsWith("/dashboard/tiles/")).length;
            """)
        #expect(asked == "0")
        #expect(try browser.console.isEmpty)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
