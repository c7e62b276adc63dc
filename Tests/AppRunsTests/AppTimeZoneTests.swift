import Testing

@testable import AppRuns

/// The time zone that runners get from the environment of the host.
struct AppTimeZoneTests {
    @Test(arguments: [
        ("Europe/Zurich", "Europe/Zurich"), (":Europe/Zurich", "Europe/Zurich"),
        ("/usr/share/zoneinfo/America/New_York", "America/New_York"), ("Etc/GMT+5", "Etc/GMT+5"),
        ("EST5EDT", "EST5EDT"), ("", "UTC"), (":", "UTC"),
    ])
    func `the name of a zone is passed on`(variable: String, name: String) {
        #expect(AppTimeZone(variable: variable).environment == ["TZ=\(name)"])
    }

    @Test(arguments: [
        nil, "/etc/localtime", "../../etc/passwd", "CET-1CEST,M3.5.0,M10.5.0/3", "a b", "a=b",
        "Zürich", String(repeating: "x", count: 65),
    ])
    func `with an invalid value the default zone is used`(variable: String?) {
        #expect(AppTimeZone(variable: variable) == .system)
        #expect(AppTimeZone.system.environment.isEmpty)
        #expect(AppTimeZone(variable: variable, otherwise: .utc).environment == ["TZ=UTC"])
    }
}
