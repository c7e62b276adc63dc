import Foundation
import TestSupport
import Testing

/// The sensors of a phone, from their declaration to pushed samples.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct PhoneTests {
    private struct Report: Decodable {
        let token: String
        let sensors: [String]
        let sensorLogger: String
        let ownTracks: String
    }

    @Test func `add-phone prints the settings that the apps need`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let added = try sandbox.nervous("sensors", "add-phone", "ann")
        #expect(added.code == 0, "\(added.errors)")
        func entry(_ label: String, after heading: String) throws -> String {
            let part = try #require(added.output.components(separatedBy: heading).last)
            let line = try #require(
                part.split(separator: "\n").first { $0.contains("  \(label) ") })
            return line.replacing(label, with: "").trimmingCharacters(in: .whitespaces)
        }
        let url = try entry("Push URL", after: "Sensor Logger")
        let header = try entry("Header Authorization", after: "Sensor Logger")
        let steps = try sandbox.curl(
            "-H", "Authorization: \(header)", "--json",
            #"{"payload":[{"name":"pedometer","time":1698501144401740000,"values":{"steps":12}}]}"#,
            url)
        #expect(steps.status == 200, "\(steps.body)")
        #expect(steps.body.contains(#""accepted":1"#))
        let user = try entry("User", after: "OwnTracks")
        let password = try entry("Password", after: "OwnTracks")
        let place = try sandbox.curl(
            "-u", "\(user):\(password)", "--json",
            #"{"_type":"location","lat":1,"lon":2,"alt":3,"tst":1698501144,"batt":50}"#,
            try entry("URL", after: "OwnTracks"))
        #expect(place.status == 200, "\(place.body)")
        #expect(place.body == "[]")
        for (sensor, shown) in [
            ("steps.ann", "12"), ("location.ann", "altitude"), ("battery.ann", "50"),
        ] {
            let query = try sandbox.nervous("query", sensor)
            #expect(query.code == 0, "\(query.errors)")
            #expect(query.output.contains(shown), "\(query.output)")
        }
        // The token can only publish.
        let read = try sandbox.curl(
            "-H", "Authorization: \(header)", host.url("/api/v1/sensors/steps.ann/latest"))
        #expect(read.status == 403)
        #expect(try sandbox.nervous("token", "revoke", "ann").code == 0)
        let late = try sandbox.curl("-H", "Authorization: \(header)", "--json", "{}", url)
        #expect(late.status == 401)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `several phones can be added, and one twice is refused`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        var reports: [Report] = []
        for name in ["left-wrist", "right-wrist"] {
            let added = try sandbox.nervous("sensors", "add-phone", name, "--json", "--for", "1h")
            #expect(added.code == 0, "\(added.errors)")
            reports.append(
                try JSONDecoder().decode(Report.self, from: Data(added.output.utf8)))
        }
        #expect(reports[0].token != reports[1].token)
        #expect(reports[0].sensors.contains("accelerometer.left-wrist"))
        #expect(reports.allSatisfy { $0.sensorLogger == host.url("/api/v1/push/sensor-logger") })
        #expect(reports.allSatisfy { $0.ownTracks == host.url("/api/v1/push/owntracks") })
        let again = try sandbox.nervous("sensors", "add-phone", "left-wrist")
        #expect(again.code != 0)
        #expect(again.errors.contains("left-wrist"), "\(again.errors)")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `a sensor that was declared differently is unchanged`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let words = ["latitude:deg", "longitude:deg"].flatMap { ["--field", $0] }
        #expect(try sandbox.nervous(["sensors", "add", "location.ann"] + words).code == 0)
        let added = try sandbox.nervous("sensors", "add-phone", "ann", "--json")
        let report = try JSONDecoder().decode(Report.self, from: Data(added.output.utf8))
        let place = try sandbox.curl(
            "-H", "Authorization: Bearer \(report.token)", "--json",
            #"{"_type":"location","lat":1.5,"lon":2.5,"tst":1698501144}"#, report.ownTracks)
        #expect(place.status == 200, "\(place.body)")
        let query = try sandbox.nervous("query", "location.ann")
        #expect(query.output.contains("1.5"), "\(query.output)\(query.errors)")
        #expect(!query.output.contains("altitude"))
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test(arguments: ["Ann", "a.b", "a b", "-a", String(repeating: "x", count: 50)])
    func `an invalid sensor name is rejected`(name: String) throws {
        let sandbox = try Sandbox()
        let added = try sandbox.nervous("sensors", "add-phone", "--", name)
        #expect(added.code == 64, "\(added.errors)")
    }
}
