import Samples
import Testing
import Tracks

@testable import Connectors

/// Parsing the messages of gpsd.
struct GPSDMessageTests {
    private let arrival = Timestamp(microseconds: 1_800_000_000_000_000)

    private func message(_ line: String) -> GPSDMessage? {
        GPSDMessage(Array(line.utf8), at: arrival)
    }

    private func fix(_ members: String) throws -> Fix {
        let message = message(#"{"class":"TPV","lat":47.5,"lon":8.25,\#(members)}"#)
        guard case .fix(let fix, _, _, _) = try #require(message) else {
            throw ConnectorError("no fix")
        }
        return fix
    }

    @Test func `a report of gpsd becomes a fix with converted units`() throws {
        let fix = try fix(
            """
            "device":"/dev/ttyACM0","mode":3,"time":"2026-11-21T10:34:48.283Z","ept":0.005,
            "altHAE":500.5,"altMSL":453.25,"alt":453.25,"epx":3,"epy":4,"eph":9.5,
            "track":10.5,"speed":1.25,"climb":-0.085
            """)
        #expect(fix.time == Timestamp(rfc3339: "2026-11-21T10:34:48.283Z"))
        #expect(fix.numbers == [47.5, 8.25, 453.25, 9.5, 1.25, 10.5])
    }

    @Test(arguments: [
        (#""mode":3,"altHAE":5,"alt":6"#, [6.0, -1, -1, -1]),
        (#""mode":3,"altHAE":5,"epx":3,"epy":4"#, [5, 5, -1, -1]),
        (#""mode":2,"epx":3"#, [-9999, -1, -1, -1]),
        // The altitude is reported, so a two-dimensional fix has it, too.
        (#""mode":2,"altMSL":7,"speed":0,"track":0,"eph":0"#, [7, 0, 0, 0]),
        (#""mode":2,"speed":-3,"track":-4,"eph":-5"#, [-9999, -1, -1, -1]),
    ])
    func `missing values of a fix have a reserved number`(
        members: String, rest: [Double]
    ) throws {
        let fix = try fix(members)
        #expect(fix.time == arrival)
        #expect(Array(fix.numbers.dropFirst(2)) == rest)
        let sample = Sample(time: arrival, values: fix.numbers.map { .number($0) })
        #expect(Fix(sample, fields: Fix.fields) == fix)
    }

    @Test(arguments: [
        (#"{"class":"VERSION","release":"3.22","proto_major":3}"#, GPSDMessage.version("3.22")),
        (#"{"class":"DEVICES","devices":[]}"#, .devices([])),
        (
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"}]}"#,
            .devices(["/dev/a"])
        ),
        (#"{"class":"TPV","mode":1}"#, .noFix), (#"{"class":"TPV","mode":0}"#, .noFix),
        (#"{"class":"TPV","mode":3,"time":"2026-11-21T10:34:48.283Z"}"#, .noFix),
        (#"{"class":"WATCH","enable":true}"#, .other), (#"{"class":"PPS"}"#, .other),
        (#"{"class":"ERROR","message":"a\u001b[1mb"}"#, .error(#"a\u{1b}[1mb"#)),
    ])
    func `each message is recognised by its class`(line: String, message: GPSDMessage) {
        #expect(self.message(line) == message)
    }

    @Test(arguments: [
        (#"{"class":"SKY","device":"d","uSat":5,"nSat":9,"hdop":1.5}"#, 5, 9, 1.5, nil),
        (
            #"{"class":"SKY","pdop":2,"satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false}]}"#,
            1, 2, nil, 2.0
        ),
        // A report with dilutions of precision only.
        (#"{"class":"SKY","xdop":1.5,"hdop":-1}"#, nil, nil, nil, nil),
        (#"{"class":"SKY","uSat":5,"nSat":-9,"pdop":3}"#, nil, nil, nil, 3),
    ])
    func `a report of the sky has satellites, dilutions or both`(
        line: String, used: Int?, visible: Int?, hdop: Double?, pdop: Double?
    ) throws {
        let dilutions: Dilutions
        switch try #require(message(line)) {
        case .satellites(let reported, let seen, let found, _):
            #expect(reported == used && seen == visible)
            dilutions = found
        case .dilutions(let found, _):
            #expect(used == nil)
            dilutions = found
        case let other: throw ConnectorError("\(other)")
        }
        #expect(dilutions.horizontal == hdop && dilutions.position == pdop)
        #expect(dilutions.vertical == nil)
    }

    @Test(arguments: [
        "", "{", "null", "[]", "$GPGGA,1", #"{"class":3}"#, #"{"lat":1}"#, #"{"class":"TPV"}"#,
        #"{"class":"TPV","mode":"3","lat":1,"lon":2}"#, #"{"class":"TPV","mode":3,"lat":1}"#,
        #"{"class":"TPV","mode":3,"lat":91,"lon":2}"#,
        #"{"class":"TPV","mode":3,"lat":1,"lon":-180.5}"#,
        #"{"class":"TPV","mode":3,"lat":"1","lon":2}"#,
        #"{"class":"TPV","mode":3,"lat":1,"lon":2,"time":"yesterday"}"#,
        #"{"class":"TPV","mode":3,"lat":1,"lon":2,"time":5}"#,
        #"{"class":"TPV","class":"TPV","mode":3,"lat":1,"lon":2}"#,
        #"{"class":"TPV","mode":3,"lat":1,"lon":NaN}"#, #"{"class":"DEVICES"}"#,
    ])
    func `invalid messages of gpsd are rejected`(line: String) {
        #expect(message(line) == nil)
    }
}
