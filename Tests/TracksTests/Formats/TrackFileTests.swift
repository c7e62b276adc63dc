import Samples
import Testing
import Tracks

struct TrackFileTests {
    @Test(
        arguments: [
            (" \n<?xml version='1.0'?><!-- x --><gpx/>", TrackFormat.gpx),
            ("<a:TrainingCenterDatabase xmlns:a='u'>", .tcx),
            ("<kml xmlns='http://www.opengis.net/kml/2.2'><Document>", .kml),
            (#"{"type":"Feature"}"#, .geoJSON), ("\u{FEFF} {", .geoJSON),
        ])
    func `a format is recognised by the content`(text: String, format: TrackFormat) {
        #expect(TrackFormat(recognizing: Array(text.utf8)) == format)
    }

    @Test(arguments: ["", " ", "x", "<", "<html></html>", "<!DOCTYPE gpx><gpx/>", "[]", "$GPRMC"])
    func `other contents are no format`(text: String) {
        #expect(TrackFormat(recognizing: Array(text.utf8)) == nil)
        let error = #expect(throws: TrackError.self) { try TrackFile(Array(text.utf8)) }
        #expect(error?.code == .malformed)
    }

    @Test func `a text is not FIT, and FIT no text`() {
        let text = Array("<gpx/>".utf8)
        #expect(throws: TrackError.self) { try TrackFile(text, as: .fit) }
        for format in TrackFormat.allCases where format != .fit {
            #expect(throws: TrackError.self) {
                try TrackFile(FITFixture().file(), as: format)
            }
        }
    }

    @Test func `remarks about many tracks are counted together`() {
        let remarks = (1...60).map { TrackRemark(.tooShort, track: "T\($0)", count: 1) }
        let summarized = (remarks + [TrackRemark(.waypoint, track: nil, count: 3)]).summarized
        #expect(summarized.count == 52)
        #expect(Array(summarized[..<50]) == Array(remarks[..<50]))
        #expect("\(summarized[50])" == "3 waypoints were left out.")
        #expect("\(summarized[51])" == "10 other tracks: left out: fewer than two points.")
    }
}
