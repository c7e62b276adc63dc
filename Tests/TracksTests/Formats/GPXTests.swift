import Foundation
import Motion
import Samples
import TestSupport
import Testing
import Tracks

struct GPXTests {
    private func gpx(_ body: String) -> String {
        #"<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">"#
            + body + "</gpx>"
    }

    private func fixes(_ text: String, limits: TrackLimits = TrackLimits()) throws -> [Fix] {
        try GPXReader.tracks(Array(text.utf8), limits: limits).flatMap(\.fixes)
    }

    @Test func `GPX files of other programs are read`() throws {
        let text = """
            \u{FEFF}<?xml version='1.0' encoding='utf-8' standalone="no" ?>
            <!-- made by hand -->
            <g:gpx xmlns:g="http://www.topografix.com/GPX/1/1" version="1.1" creator="me">
              <g:metadata><g:name>not the track's</g:name></g:metadata>
              <g:wpt lat="1" lon="2"><g:name>not of the track</g:name></g:wpt>
              <g:rte><g:name>R</g:name><g:rtept lon="-0.5" lat='1'/></g:rte>
              <g:trk>
                <g:name><![CDATA[Tour <1>]]> &amp; &#x1F6B6;&#33;</g:name>
                <g:link href="x"><g:text>no</g:text></g:link>
                <g:trkseg>
                  <g:trkpt lat=" 5" lon="6"></g:trkpt>
                </g:trkseg>
              </g:trk>
            </g:gpx>
            """.replacingOccurrences(of: "lat=\" 5\"", with: "lat=\"5.25\"")
        let tracks = try GPXReader.tracks(Array(text.utf8))
        #expect(tracks.map(\.name) == ["R", "Tour <1> & \u{1F6B6}!"])
        #expect(tracks.map(\.fixes.count) == [1, 1])
        #expect(tracks[1].fixes[0].position == (try place(5.25, 6)))
    }

    @Test func `points have the values of the file, and missing times are filled in`() throws {
        let found = try fixes(
            gpx(
                """
                <trk><trkseg>
                <trkpt lat="1" lon="2"><ele> 3.5 </ele><time>2026-03-01T12:00:00+01:00</time>
                <extensions><x:TrackPointExtension xmlns:x="u"><x:speed>2.5</x:speed>
                <x:hr>99</x:hr></x:TrackPointExtension></extensions></trkpt>
                <trkpt lat="1" lon="2.1"><link><time>none</time></link></trkpt>
                <trkpt lat="1" lon="2.2"><time>2026-03-01T11:00:09</time><ele>nan</ele></trkpt>
                </trkseg></trk>
                """))
        #expect(
            found.map { "\($0.time)" } == [
                "2026-03-01T11:00:00.000000Z", "2026-03-01T11:00:01.000000Z",
                "2026-03-01T11:00:09.000000Z",
            ])
        #expect(found.map(\.altitude) == [3.5, nil, nil])
        #expect(found.map(\.speed) == [2.5, nil, nil])
    }

    @Test(
        arguments: [
            "<!DOCTYPE gpx SYSTEM \"file:///etc/passwd\"><gpx/>",
            "<!DOCTYPE lolz [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><gpx><name>&b;</name></gpx>",
            "<gpx><!ENTITY x SYSTEM \"http://localhost/\"></gpx>", "<!doctype html><html></html>",
        ])
    func `a document type is rejected, so no entity is expanded and nothing is fetched`(
        text: String
    ) {
        let error = #expect(throws: TrackError.self) { try fixes(text) }
        #expect(error?.code == .unsafe)
    }

    @Test(
        arguments: [
            "", " ", "text", "<", "<gpx", "<gpx>", "</gpx>", "<gpx></gpx", "<gpx></GPX>",
            "<gpx/><gpx/>", "<gpx></gpx>x", "<kml></kml>", "<gpx a></gpx>", "<gpx a=1></gpx>",
            "<gpx a='1' a='2'/>", "<gpx a='<'/>", "<gpx a='1'b='2'/>", "<gpx>&b;</gpx>",
            "<gpx>&</gpx>",
            "<gpx>&#0;</gpx>", "<gpx>&#xD800;</gpx>", "<gpx>&#x110000;</gpx>", "<gpx><!-- </gpx>",
            "<gpx><![CDATA[ </gpx>", "<gpx>\u{1}</gpx>", "<gpx>\u{0}</gpx>", "<gpx><? </gpx>",
            "<?xml version='1.0' encoding='utf-16'?><gpx/>", "<gpx/><![CDATA[x]]>",
            "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><gpx/>", "<gpx></gpx >x</gpx>",
        ])
    func `malformed XML and other formats are rejected`(text: String) {
        let error = #expect(throws: TrackError.self) { try fixes(text) }
        #expect(error?.code == .malformed)
    }

    @Test(
        arguments: [
            "lat='91' lon='0'", "lat='0' lon='180.5'", "lat='nan' lon='0'", "lat='0'", "",
            "lat='0x10' lon='0'", "lat='1,5' lon='0'", "lat='1e1' lon='0'", "lat='' lon='0'",
        ])
    func `a point with invalid coordinates is rejected`(attributes: String) {
        let error = #expect(throws: TrackError.self) {
            try fixes(gpx("<trk><trkseg><trkpt \(attributes)/></trkseg></trk>"))
        }
        #expect(error?.code == .malformed)
    }

    @Test func `an invalid time is rejected`() {
        for time in ["yesterday", "", "2026-02-30T00:00:00Z"] {
            #expect(throws: TrackError.self) {
                try fixes(
                    gpx(
                        "<trk><trkseg><trkpt lat='0' lon='0'><time>\(time)</time></trkpt></trkseg></trk>"
                    ))
            }
        }
    }

    @Test func `bytes that are not UTF-8 are rejected`() {
        var bytes = Array(gpx("<trk><name>x</name></trk>").utf8)
        let index = bytes.lastIndex(of: UInt8(ascii: "x")) ?? 0
        bytes[index] = 0xFF
        #expect(throws: TrackError.self) { try GPXReader.tracks(bytes) }
        let wide: [UInt8] =
            [0xFF, 0xFE] + "<gpx/>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(throws: TrackError.self) { try GPXReader.tracks(wide) }
    }

    @Test func `size, depth, points, segments and texts are limited`() throws {
        var limits = TrackLimits()
        (limits.bytes, limits.points, limits.segments) = (4000, 3, 4)
        (limits.depth, limits.text) = (6, 100)
        let point = "<trkpt lat='0' lon='0'/>"
        func segment(_ points: Int) -> String {
            "<trkseg>\(String(repeating: point, count: points))</trkseg>"
        }
        #expect(try fixes(gpx("<trk>\(segment(3))</trk>"), limits: limits).count == 3)
        let tooLarge = [
            gpx("<trk>\(segment(4))</trk>"), gpx("<trk>\(segment(2))\(segment(2))</trk>"),
            gpx("<trk>" + String(repeating: "<trkseg/>", count: 4) + "</trk>"),
            gpx(String(repeating: "<trk/>", count: 5)),
            gpx(String(repeating: "<a>", count: 6)),
            gpx("<trk><name>\(String(repeating: "x", count: 101))</name></trk>"),
            gpx("<trk><name>\(String(repeating: "x<!---->", count: 101))</name></trk>"),
            gpx(String(repeating: " ", count: 4000)),
        ]
        for text in tooLarge {
            let error = #expect(throws: TrackError.self, "\(text.prefix(200))") {
                try fixes(text, limits: limits)
            }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test func `randomly changed files are read or rejected`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let text = gpx(
            "<trk><name>a &amp; b</name><trkseg><trkpt lat='1' lon='2'><ele>3</ele>"
                + "<time>2026-03-01T12:00:00Z</time></trkpt></trkseg></trk><!-- x --><![CDATA[]]>")
        let file = Array(text.utf8)
        var read = 0
        for _ in 0..<2000 {
            var bytes = file
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default:
                    bytes.insert(
                        Array("<>&;'\"/![]-? ".utf8).randomElement(using: &random) ?? 0, at: index)
                }
            }
            do {
                read += try GPXReader.tracks(bytes).count
            } catch {
                continue
            }
        }
        #expect(read > 0 && read < 2000, "seed \(seed)")
    }
}
