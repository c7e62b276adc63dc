import Archive
import Foundation
import TestSupport
import Testing
import Text

@Suite(.blocking)
struct TrackImportRouteTests {
    /// A track with times and one without.
    private static let gpx = """
        <?xml version="1.0"?><gpx version="1.1"><trk><name>Timed</name><trkseg>
        <trkpt lat="47" lon="8"><time>2026-03-01T12:00:00Z</time></trkpt><trkpt lat="x" lon="8"/>
        <trkpt lat="47.01" lon="8"><time>2026-03-01T12:10:00Z</time></trkpt></trkseg></trk>
        <rte><name>Plan</name><rtept lat="47" lon="8"/><rtept lat="47" lon="8.1"/></rte></gpx>
        """

    private func post(
        _ host: ServedHost, _ query: String = "", _ type: String = "application/octet-stream",
        _ body: [UInt8] = Array(gpx.utf8)
    ) async throws -> Answer {
        try await host.send(
            Call(
                "POST", "/api/v1/workouts" + query, token: host.owner,
                headers: [("Content-Type", type)], body: body))
    }

    @Test func `what is left out of a file is reported, and a start gives times`() async throws {
        try await ServedHost.with { host in
            let first = try await post(host)
            #expect(first.status == 201)
            let made = try first.json()
            #expect(made["items"]?.array?.map { $0["name"]?.string } == ["Timed"])
            let remarks = try #require(made["remarks"]?.array)
            #expect(remarks.map { $0["kind"]?.string } == ["invalidPosition", "noTimes"])
            #expect(remarks.map { $0["track"]?.string } == ["Timed", "Plan"])
            #expect(remarks.map { $0["count"]?.number?.int64 } == [1, 2])
            #expect(remarks[1]["text"]?.string == "Plan: left out: it has 2 points and no times.")
            let second = try await post(host, "?start=2026-05-01T08:00:00Z&speed=2")
            let plan = try #require(try second.json()["items"]?.array?.first)
            #expect(plan["name"]?.string == "Plan")
            #expect(plan["created"]?.number?.int64 == 1_777_622_400_000)
            #expect(try second.json()["known"]?.array?.count == 1)
            #expect(try second.json()["remarks"]?.array?.count == 1)
        }
    }

    @Test func `the content decides, unless the request names a format`() async throws {
        try await ServedHost.with { host in
            for (type, status) in [
                ("application/gpx+xml", 201), ("application/octet-stream", 200),
                ("application/gzip", 200), ("application/geo+json", 422),
                ("application/x-plist", 422), ("text/xml", 415),
            ] {
                #expect(try await post(host, "", type).status == status, "\(type)")
            }
            let list = "<plist version=\"1.0\"><array/></plist>"
            let empty = try await post(host, "", "application/octet-stream", Array(list.utf8))
            #expect(empty.status == 200)
        }
    }

    @Test func `gzip is decompressed, and damaged gzip refused`() async throws {
        try await ServedHost.with { host in
            let packed = try await gzipped(Array(Self.gpx.utf8))
            #expect(try await post(host, "", "application/gzip", packed).status == 201)
            let cut = try await post(host, "", "application/gzip", packed.dropLast(9))
            #expect(cut.status == 422)
            #expect(cut.code == "invalid-workouts")
        }
    }

    @Test func `the document of a KMZ file is imported, and other archives are refused`()
        async throws
    {
        try await ServedHost.with { host in
            let document = """
                <kml xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><name>Bay</name><gx:Track>
                <when>2026-03-01T12:00:00Z</when><when>2026-03-01T12:01:00Z</when>
                <gx:coord>8 47 400</gx:coord><gx:coord>8.01 47 401</gx:coord>
                </gx:Track></Placemark></kml>
                """
            func archive(_ name: String) throws -> [UInt8] {
                let writer = try ArchiveWriter.create(capacity: 1 << 16)
                try writer.add("files/picture.png", [1, 2, 3])
                try writer.add(name, Array(document.utf8))
                return try writer.finish()
            }
            let made = try await post(
                host, "", "application/vnd.google-earth.kmz", archive("doc.kml"))
            #expect(made.status == 201)
            #expect(try made.json()["items"]?.array?.map { $0["name"]?.string } == ["Bay"])
            let other = try await post(host, "", "application/zip", archive("doc.txt"))
            #expect(other.code == "missing-file")
            let damaged = Array(try archive("doc.kml").dropLast())
            #expect(try await post(host, "", "application/zip", damaged).status == 422)
        }
    }

    @Test(arguments: [
        "?start=x", "?speed=2", "?start=now&speed=0", "?start=now&speed=nan",
        "?start=now&speed=1e9",
    ])
    func `wrong parameters are refused`(query: String) async throws {
        try await ServedHost.with { host in
            let answer = try await post(host, query)
            #expect(answer.code == "invalid-parameter")
        }
    }

    @Test func `a file of which nothing remains is refused with what it has`() async throws {
        try await ServedHost.with { host in
            let text = #"<gpx><wpt lat="0" lon="0"/></gpx>"#
            let answer = try await post(host, "", "application/gpx+xml", Array(text.utf8))
            #expect(answer.status == 422)
            #expect(answer.text.contains("nothing to import: only 1 waypoint."))
        }
    }
}
