import Samples
import Testing
import Text
import VM

@testable import Provider

/// The samples of sessions, with and without a route.
struct SessionSampleTests {
    /// Two spans with a pause, and a sample in each second of sensors that are not locations.
    private static func record(_ sensors: [String], _ host: ServedHost) async throws {
        for sensor in sensors { try await host.declareSensor(sensor, numbers: "x", "y") }
        let list = sensors.map { "\"\($0)\"" }.joined(separator: ", ")
        let made = try await host.sessions(
            "POST", json: #"{"id": "gait", "name": "A <gait>", "sensors": [\#(list)]}"#)
        #expect(made.status == 201)
        for step in [nil, "start", nil, nil, "pause", nil, "resume", nil, "finish", nil] {
            if let step {
                #expect(try await host.sessions("POST", "/gait/\(step)").status == 200)
                continue
            }
            host.clock.advance(.seconds(1))
            for sensor in sensors {
                let time = host.clock.now.milliseconds
                try await host.feedSensor(#"{"t": \#(time), "x": 1, "y": -2.5}"#, to: sensor)
            }
        }
    }

    @Test func `each form has the samples of the spans and no others`() async throws {
        try await ServedHost.with { host in
            try await Self.record(["strain"], host)
            let json = try await host.sessions("GET", "/gait/samples").json()
            #expect(json["sensor"]?.string == "strain")
            #expect(json["items"]?.array?.count == 3)
            let csv = try await host.sessions("GET", "/gait/samples?format=csv").text
            #expect(csv.split(whereSeparator: \.isNewline).count == 4)
            #expect(csv.hasPrefix("t,x,y"))
            let lines = try await host.sessions(
                "GET", "/gait/samples", accept: "application/x-ndjson")
            #expect(lines.text.split(separator: "\n").count == 3)
            #expect(lines["vary"] == "Accept")
            let picture = try await host.sessions("GET", "/gait/samples?format=svg").text
            #expect(picture.contains("<title>A &lt;gait&gt;</title>"))
            // A panel for each field, and a line in each for each span.
            #expect(picture.matches(of: /class="line"/).count == 4)
            #expect(picture.matches(of: /class="pause"/).count == 2)
            let route = try await host.sessions("GET", "/gait/route")
            #expect(route.status == 404)
            #expect(route.text.contains("/api/v1/sessions/gait/samples"))
        }
    }

    @Test func `of several sensors the request names one, and a picture shows all`() async throws {
        try await ServedHost.with { host in
            try await Self.record(["strain.left", "strain.right"], host)
            let both = try await host.sessions("GET", "/gait/samples")
            #expect(both.status == 409)
            #expect(both.code == "several-sensors")
            let left = try await host.sessions("GET", "/gait/samples?sensor=strain.left").json()
            #expect(left["items"]?.array?.count == 3)
            let picture = try await host.sessions("GET", "/gait/samples?format=svg").text
            #expect(picture.contains("strain.left x") && picture.contains("strain.right y"))
            for (query, status) in [
                ("?sensor=gauge", 400), ("?format=gpx", 400), ("?form=csv", 400),
            ] {
                #expect(try await host.sessions("GET", "/gait/samples" + query).status == status)
            }
        }
    }

    @Test(arguments: [
        ("", "application/json"), ("?format=csv", "text/csv; charset=utf-8; header=present"),
        ("?format=svg", "image/svg+xml"), ("?format=ndjson", "application/x-ndjson"),
    ])
    func `a session without a route is sent as its samples`(
        query: String, type: String
    ) async throws {
        try await ServedHost.with { host in
            try await Self.record(["strain"], host)
            let answer = try await host.sessions(
                "POST", "/gait/send" + query, json: #"{"to": "https://trips.example/down"}"#)
            #expect(answer.status == 200)
            let kept = try answer.json()["kept"]
            #expect(kept?["mediaType"]?.string == type)
            #expect(
                try await host.sessions("POST", "/gait/send?format=gpx", json: "{}").status == 400)
        }
    }

    @Test func `a sensor that is gone counts although its samples all lie in the future`()
        async throws
    {
        try await ServedHost.with { host in
            let made = try await host.sessions(
                "POST", json: #"{"id": "gait", "name": "A gait", "sensors": ["network"]}"#)
            #expect(made.status == 201)
            #expect(try await host.sessions("POST", "/gait/start").status == 200)
            host.clock.advance(.seconds(1))
            await host.collect("network.wlan0", [.number(2)])
            let later = host.clock.now.advanced(by: .seconds(86_400))
            await host.collect("network.eth0", [.number(3)], at: later)
            try await host.unplug("network.eth0")
            let status = try #require(await host.machine.status(of: "network.eth0"))
            #expect(status.newest == nil && status.future == later)
            let both = try await host.sessions("GET", "/gait/samples")
            #expect(both.code == "several-sensors")
            #expect(both.text.contains("network.eth0"))
        }
    }
}
