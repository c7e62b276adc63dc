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
        try TrackFile(Array(text.utf8), as: .gpx, missingTimes: .everySecond, limits: limits)
            .tracks.flatMap(\.fixes)
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
        let tracks = try TrackFile(Array(text.utf8), missingTimes: .everySecond).tracks
        #expect(tracks.map(\.name) == ["R", "Tour <1> & \u{1F6B6}!"])
        #expect(tracks.map(\.fixes.count) == [1, 1])
        #expect(tracks[1].fixes[0].position == (try place(5.25, 6)))
    }

    @Test func `points have the values of the file, and missing times are interpolated`() throws {
        let found = try fixes(
            gpx(
                """
                <trk><trkseg>
                <trkpt lat="1" lon="2"><ele> 3.5 </ele><time>2026-03-01T12:00:00+01:00</time>
                <extensions><x:TrackPointExtension xmlns:x="u"><x:speed>2.5</x:speed>
                <x:hr>99</x:hr></x:TrackPointExtension></extensions></trkpt>
                <trkpt lat="1" lon="2.1"><link><time>none</time></link></trkpt>
                <trkpt lat="1" lon="2.3"><time>2026-03-01T11:00:09</time><ele>nan</ele></trkpt>
                </trkseg></trk>
                """))
        #expect(
            found.map { "\($0.time)" } == [
                "2026-03-01T11:00:00.000000Z", "2026-03-01T11:00:03.000000Z",
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
            "<gpx/><![CDATA[x]]>", "<gpx></gpx >x</gpx>",
            "<?xml version=\"1.0\" encoding=\"EBCDIC-US\"?><gpx/>",
        ])
    func `malformed XML and other formats are rejected`(text: String) {
        let error = #expect(throws: TrackError.self) { try fixes(text) }
        #expect(error?.code == .malformed)
    }

    @Test(
        arguments: [
            "lat='91' lon='0'", "lat='0' lon='180.5'", "lat='nan' lon='0'", "lat='0'", "",
            "lat='0x10' lon='0'", "lat='1,5' lon='0'", "lat='1e2' lon='0'", "lat='' lon='0'",
        ])
    func `a point with invalid coordinates is left out, and counted`(attributes: String) throws {
        let text = gpx(
            "<trk><name>A</name><trkseg><trkpt \(attributes)/><trkpt lat='1' lon='-9.0E-4'>"
                + "<time>2026-03-01T11:00:00Z</time></trkpt></trkseg></trk>")
        let file = try TrackFile(Array(text.utf8))
        #expect(file.tracks.map(\.fixes.count) == [1])
        #expect(file.tracks[0].fixes[0].position == (try place(1, -0.000_9)))
        #expect(file.remarks == [TrackRemark(.invalidPosition, track: "A", count: 1)])
        #expect("\(file.remarks[0])" == "A: 1 point without a valid position was left out.")
    }

    @Test func `points without a time at an end are left out, and an invalid time is none`() throws
    {
        func point(_ longitude: Int, _ time: String) -> String {
            "<trkpt lat='0' lon='\(longitude)'><time>\(time)</time></trkpt>"
        }
        let text = gpx(
            "<trk><trkseg>" + point(0, "yesterday") + point(1, "2026-03-01T11:00:00+0100")
                + point(2, "") + "</trkseg><trkseg>" + point(3, "2026-03-01 10:00:02,5")
                + point(4, "2026-02-30T00:00:00Z") + "</trkseg></trk>")
        let file = try TrackFile(Array(text.utf8))
        #expect(
            file.tracks[0].segments.map { $0.map { "\($0.fix.time)" } } == [
                ["2026-03-01T10:00:00.000000Z", "2026-03-01T10:00:01.250000Z"],
                ["2026-03-01T10:00:02.500000Z"],
            ])
        #expect(
            file.remarks == [
                TrackRemark(.interpolatedTime, track: "Track 1", count: 1),
                TrackRemark(.noTime, track: "Track 1", count: 2),
            ])
    }

    @Test func `tracks without times are left out, or travelled from a given start`() throws {
        let degree = Geodesy.equatorialRadius * .pi / 180
        let text = gpx(
            "<rte><name>R</name><rtept lat='0' lon='0'><time>2001-01-01T00:00:00Z</time></rtept>"
                + "<rtept lat='0' lon='1'/></rte><trk><trkseg><trkpt lat='0' lon='5'/>"
                + "<trkpt lat='0' lon='4'/></trkseg></trk>")
        let file = try TrackFile(Array(text.utf8))
        #expect(file.tracks.isEmpty)
        #expect(
            file.remarks == [
                TrackRemark(.noTimes, track: "R", count: 2),
                TrackRemark(.noTimes, track: "Track 2", count: 2),
            ])
        let start = Timestamp(microseconds: 1_800_000_000_000_000)
        let timed = try TrackFile(
            Array(text.utf8), missingTimes: .assumed(start: start, speed: degree / 60))
        #expect(timed.remarks.isEmpty)
        let seconds = timed.tracks.flatMap(\.fixes).map {
            Double($0.time.microseconds - start.microseconds) / 1_000_000
        }
        #expect(zip(seconds, [0, 60, 60, 120]).allSatisfy { abs($0 - $1) < 0.000_01 })
        let replayed = try TrackFile(Array(text.utf8), missingTimes: .everySecond)
        #expect(
            replayed.tracks.flatMap(\.fixes).map(\.time.microseconds)
                == [0, 1_000_000, 2_000_000, 3_000_000])
    }

    @Test func `a file that ends early is read up to there`() throws {
        let point = "<trkpt lat='0' lon='0'><time>2026-03-01T11:00:00Z</time></trkpt>"
        let rests = [
            "", "<trkpt lat='1", "</trk>", "<trkpt lat='0' lon='0'><time>2026", "<x>&y;</x>",
        ]
        for rest in rests {
            let text = "<gpx><trk><trkseg>\(point)\(point)\(rest)"
            let file = try TrackFile(Array(text.utf8))
            #expect(file.tracks.map(\.fixes.count) == [2], "\(rest)")
            #expect(file.remarks.map(\.kind) == [.damaged])
            #expect(
                file.remarks[0].description.hasPrefix("Only the first 2 points have been read."))
        }
    }

    @Test func `waypoints and values of other sensors are counted`() throws {
        let text = gpx(
            """
            <wpt lat="0" lon="0"/><wpt lat="1" lon="0"/><trk><trkseg>
            <trkpt lat="1" lon="2"><time>2026-03-01T12:00:00Z</time><extensions>
            <x:TrackPointExtension xmlns:x="u"><x:hr>99</x:hr><x:cad>80</x:cad></x:TrackPointExtension>
            </extensions></trkpt></trkseg></trk>
            """)
        #expect(
            try TrackFile(Array(text.utf8)).remarks.map(\.description) == [
                "2 waypoints were left out.",
                "1 point also has cadence, heart rate: a session keeps positions only.",
            ])
    }

    @Test(arguments: ["é", "ж", "ğ", "表", "\u{1F6B6}"])
    func `the encoding of a file is recognised`(name: String) throws {
        func text(_ encoding: String) -> String {
            "<?xml version='1.0' encoding='\(encoding)'?><gpx><trk><name>\(name)</name><trkseg>"
                + "<trkpt lat='0' lon='0'><time>2026-03-01T11:00:00Z</time></trkpt></trkseg></trk></gpx>"
        }
        func units(_ text: String, isLittle: Bool) -> [UInt8] {
            text.utf16.flatMap { unit in
                let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
                return isLittle ? bytes : bytes.reversed()
            }
        }
        var files: [[UInt8]] = [
            Array(text("UTF-8").utf8), Array(text("utf-16").utf8),
            [0xEF, 0xBB, 0xBF] + Array(text("iso-8859-1").utf8),
        ]
        for isLittle in [true, false] {
            let mark: [UInt8] = isLittle ? [0xFF, 0xFE] : [0xFE, 0xFF]
            files.append(mark + units(text("UTF-16"), isLittle: isLittle))
            files.append(units(text("UTF-16"), isLittle: isLittle))
        }
        let encodings: [(String, String.Encoding)] = [
            ("ISO-8859-1", .isoLatin1), ("iso-8859-2", .isoLatin2),
            ("windows-1250", .windowsCP1250), ("windows-1251", .windowsCP1251),
            ("windows-1252", .windowsCP1252), ("windows-1253", .windowsCP1253),
            ("windows-1254", .windowsCP1254), ("Shift_JIS", .shiftJIS), ("macintosh", .macOSRoman),
        ]
        for (label, encoding) in encodings {
            if let data = text(label).data(using: encoding) { files.append(Array(data)) }
        }
        #expect(files.count > 7 || name == "\u{1F6B6}")
        for bytes in files {
            #expect(try TrackFile(bytes).tracks.map(\.name) == [name])
        }
    }

    @Test func `bytes that are not in the encoding of the file are rejected`() {
        var bytes = Array(gpx("<trk><name>x</name></trk>").utf8)
        let index = bytes.lastIndex(of: UInt8(ascii: "x")) ?? 0
        bytes[index] = 0xFF
        #expect(throws: TrackError.self) { try TrackFile(bytes) }
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
                read += try TrackFile(bytes).tracks.count
            } catch {
                continue
            }
        }
        #expect(read > 0 && read < 2000, "seed \(seed)")
    }
}
