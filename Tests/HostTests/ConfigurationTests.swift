import AppRuns
import Auth
import Connectors
import Foundation
import JSApps
import TestSupport
import Testing
import Text

@testable import Host

@Suite(.blocking)
struct ConfigurationTests {
    private func parsed(_ text: String) throws -> Configuration {
        try Configuration(parsing: Array(text.utf8))
    }

    @Test func `settings that are missing have their defaults`() throws {
        #expect(try parsed("{}") == Configuration())
        #expect(try parsed(#"{"packages": {}}"#) == Configuration())
        let defaults = Configuration().packages
        #expect(defaults.archiveBytes == 20 << 20)
        #expect(defaults.unpackedBytes == 64 << 20)
        #expect(defaults.fileBytes == 16 << 20)
        #expect(defaults.entries == 2000)
        #expect(defaults.pathBytes == 240)
        #expect(defaults.depth == 16)
    }

    @Test func `every limit can be set`() throws {
        let packages = try parsed(
            """
            {"packages": {"archiveMiB": 1, "unpackedMiB": 2, "fileMiB": 3, "entries": 4,
                          "pathBytes": 50, "depth": 6,},}
            """
        ).packages
        #expect(packages.archiveBytes == 1 << 20)
        #expect(packages.unpackedBytes == 2 << 20)
        #expect(packages.fileBytes == 3 << 20)
        #expect(packages.entries == 4)
        #expect(packages.pathBytes == 50)
        #expect(packages.depth == 6)
    }

    @Test func `the budget of the access log can be set`() throws {
        #expect(try parsed("{}").accessLogBudget == AccessLog.standardBudget)
        #expect(
            try parsed(#"{"accessLog": {}}"#).accessLogBudget == AccessLog.standardBudget)
        #expect(try parsed(#"{"accessLog": {"budgetMiB": 2}}"#).accessLogBudget == 2 << 20)
        for section in [#"{"budgetMiB": 0}"#, #"{"budget": 1}"#, "[]", #"{"budgetMiB": 1.5}"#] {
            #expect(throws: ConfigurationError.self) {
                try parsed(#"{"accessLog": \#(section)}"#)
            }
        }
    }

    @Test(arguments: [("0s", 0), ("500ms", 500), ("10s", 10_000), ("10m", 600_000)])
    func `the flush interval can be set`(span: String, milliseconds: Int) throws {
        #expect(try parsed("{}").flush == .seconds(10))
        #expect(try parsed(#"{"flush": "\#(span)"}"#).flush == .milliseconds(milliseconds))
    }

    @Test(arguments: ["10", #""10""#, #""-1s""#, #""11m""#, "null", "{}"])
    func `an invalid flush interval is rejected`(value: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try parsed(#"{"flush": \#(value)}"#)
        }
        #expect(error?.message == "flush must be a duration from 0s to 10m, such as 10s")
    }

    @Test func `a broker can be set`() throws {
        #expect(try parsed("{}").mqtt == nil)
        let plain = try #require(try parsed(#"{"mqtt": {"host": "a.home"}}"#).mqtt)
        #expect(plain.broker == MQTTBroker(host: "a.home", port: 1883))
        #expect(plain.prefix == "homeassistant")
        let secret = try #require(
            try parsed(
                """
                {"mqtt": {"host": "a.home", "port": 1, "username": "me", "passwordFile": "/p",
                          "tls": true, "ca": "/c", "discoveryPrefix": "ha/b",
                          "tokenFile": "/t"}}
                """
            ).mqtt)
        #expect(
            secret.broker
                == MQTTBroker(
                    host: "a.home", port: 1, username: "me", password: .file("/p"),
                    trust: .authorities(file: "/c")))
        #expect(secret.prefix == "ha/b")
        #expect(plain.tokenFile == nil && secret.tokenFile == "/t")
    }

    @Test(arguments: [
        "{}", #"{"host": 1}"#, #"{"host": ""}"#, #"{"host": "a b"}"#, #"{"host": "a", "port": 0}"#,
        #"{"host": "a", "port": 65536}"#, #"{"host": "a", "password": "x"}"#,
        #"{"host": "a", "passwordFile": "/p"}"#, #"{"host": "a", "tls": 1}"#,
        #"{"host": "a", "username": "b", "passwordFile": "p"}"#, #"{"host": "a", "ca": "/c"}"#,
        #"{"host": "a", "tls": true, "ca": "c"}"#, #"{"host": "a", "discoveryPrefix": "+"}"#,
        #"{"host": "a", "discoveryPrefix": "a/"}"#, #"{"host": "a", "insecure": true}"#, "[]",
        #"{"host": "a", "tokenFile": "t"}"#,
    ])
    func `an invalid broker is rejected`(section: String) {
        #expect(throws: ConfigurationError.self) { try parsed(#"{"mqtt": \#(section)}"#) }
    }

    @Test func `GeoClue is off unless the configuration turns it on`() throws {
        #expect(try !parsed("{}").geoclue)
        #expect(try parsed(#"{"geoclue": true}"#).geoclue)
        #expect(throws: ConfigurationError.self) { try parsed(#"{"geoclue": "yes"}"#) }
    }

    @Test func `permission sets are lists of privileges that can be combined`() throws {
        let found = try parsed(
            #"""
            {"permissionSets": {
                "a": {"allow": ["sensor:cpu", "sensor:network=network.eth0"], "deny": ["net"]},
                "b-2": {"allow": ["storage"]}, "c": {}
            }}
            """#)
        let whole = try found.permissions(inSets: ["b-2", "a", "c"])
        #expect(
            whole
                == PermissionSet(
                    allow: ["storage", "sensor:cpu", "sensor:network=network.eth0"], deny: ["net"]))
        #expect(try found.permissions(inSets: []) == PermissionSet())
        let failure = #expect(throws: CommandFailure.self) {
            try found.permissions(inSets: ["a", "x"])
        }
        #expect(failure?.code == .usage && failure?.hint?.contains("a, b-2, c") == true)
    }

    @Test(arguments: [
        "[]", #"{"A": {}}"#, #"{"a.b": {}}"#, #"{"": {}}"#, #"{"a": []}"#, #"{"a": {"x": []}}"#,
        #"{"a": {"allow": "storage"}}"#, #"{"a": {"allow": [1]}}"#, #"{"a": {"allow": ["cpu"]}}"#,
        #"{"a": {"allow": ["sensor:cpu=memory"]}}"#, #"{"a": {"deny": ["sensor:cpu=cpu"]}}"#,
        #"{"a": {"allow": ["storage=cpu"]}}"#, #"{"a": {"allow": ["sensor:cpu="]}}"#,
    ])
    func `an invalid permission set is rejected`(section: String) {
        #expect(throws: ConfigurationError.self) {
            try parsed(#"{"permissionSets": \#(section)}"#)
        }
    }

    @Test func `the address of gpsd can be set`() throws {
        let section = try parsed(#"{"gpsd": {"host": "::1", "port": 12947}}"#).gpsd
        #expect(section.host == "::1")
        #expect(section.port == 12947)
        let standard = try parsed(#"{"gpsd": {}}"#).gpsd
        #expect(standard.host == "127.0.0.1")
        #expect(standard.port == 2947)
        #expect(standard.rest == nil)
    }

    @Test func `a receiver is read rarely only if restAfter is set`() throws {
        let section = try parsed(#"{"gpsd": {"restAfter": "5m", "pollInterval": "10s"}}"#).gpsd
        #expect(section.rest?.after == .seconds(300))
        #expect(section.rest?.every == .seconds(10))
        #expect(try parsed(#"{"gpsd": {"restAfter": "1h"}}"#).gpsd.rest?.every == .seconds(20))
    }

    @Test(arguments: [
        (#"{"gpsd": {"host": "pi.local"}}"#, "host must be an IP address"),
        (#"{"gpsd": {"host": 5}}"#, "host must be an IP address"),
        (#"{"gpsd": {"port": 0}}"#, "port must be an integer from 1 to 65535"),
        (#"{"gpsd": {"device": "/dev/a"}}"#, "“device” is not a setting of gpsd"),
        (#"{"gpsd": []}"#, "gpsd must be an object"),
        (#"{"gpsd": {"pollInterval": "10s"}}"#, "pollInterval requires restAfter"),
        (
            #"{"gpsd": {"restAfter": "5m", "pollInterval": "26s"}}"#,
            #"pollInterval must be a duration from 5s to 25s, such as "25s""#
        ),
    ])
    func `an invalid section gpsd is rejected`(text: String, complaint: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try parsed(text) }
        #expect(error?.message == complaint)
    }

    @Test(arguments: [
        #"{"budgets": {"memoryMiB": 95}}"#, #"{"budgets": {"memoryMiB": 16}}"#,
        #"{"budgets": {"apps": {"demo": {"memoryMiB": 32}}}}"#,
    ])
    func `a memory limit with which no app could start is rejected with the minimum`(
        text: String
    ) throws {
        let error = #expect(throws: ConfigurationError.self) { try parsed(text) }
        #expect(
            error?.message
                == "memoryMiB must be an integer from 96 to 4096: less may not suffice to start"
                + " the JavaScript engine")
        #expect(RunBudget().memory >= RunBudget.leastMemory)
    }

    @Test func `every budget can be set, for all apps and for one`() throws {
        let budgets = try parsed(
            """
            {"budgets": {"turnMilliseconds": 200, "turnCPUMilliseconds": 300, "cpuSeconds": 4,
                         "cpuPerMinuteSeconds": 5, "memoryMiB": 160, "durationSeconds": 7,
                         "callsPerMinute": 8, "logKiBPerMinute": 9,
                         "fetch": {"durationSeconds": 10, "callsPerMinute": 11, "callsAtOnce": 2,
                                   "requestKiB": 12, "answerMiB": 13},
                         "apps": {"demo": {"callsPerMinute": 10, "memoryMiB": 120}}}}
            """
        ).budgets
        let common = budgets["other"]
        #expect(common.turn == .milliseconds(200))
        #expect(common.turnCPU == .milliseconds(300))
        #expect(common.cpu == .seconds(4))
        #expect(common.cpuPerMinute == .seconds(5))
        #expect(common.memory == 160 << 20)
        #expect(common.duration == .seconds(7))
        #expect(common.callsPerMinute == 8)
        #expect(common.logPerMinute == 9 << 10)
        #expect(common.fetch.duration == .seconds(10))
        #expect(common.fetch.callsPerMinute == 11)
        #expect(common.fetch.callsAtOnce == 2)
        #expect(common.fetch.requestBytes == 12 << 10)
        #expect(common.fetch.answerBytes == 13 << 20)
        var demo = common
        (demo.callsPerMinute, demo.memory) = (10, 120 << 20)
        #expect(budgets["demo"] == demo)
    }

    @Test(arguments: [
        (#"{"budgets": {"memory": 5}}"#, "1:14"), (#"{"budgets": {"memoryMiB": 5}}"#, "1:27"),
        (#"{"budgets": {"total": {"diskMiB": 127}}}"#, "1:35"),
        (#"{"budgets": {"total": {"memory": 512}}}"#, "1:24"),
        (#"{"budgets": {"apps": []}}"#, "1:22"), (#"{"budgets": {"fetch": []}}"#, "1:23"),
        (#"{"budgets": {"fetch": {"callsAtOnce": 17}}}"#, "1:39"),
        (#"{"budgets": {"apps": {"No Name": {}}}}"#, "1:23"),
        (#"{"budgets": {"apps": {"demo": {"apps": {}}}}}"#, "1:32"),
        ("", "1:1"), ("[]", "1:1"), ("{\n  \"pakages\": {}\n}", "2:3"),
        (#"{"packages": 5}"#, "1:14"), (#"{"packages": {"archiveMB": 5}}"#, "1:15"),
        (#"{"packages": {"archiveMiB": 0}}"#, "1:29"),
        (#"{"packages": {"archiveMiB": 1e9}}"#, "1:29"),
        (#"{"packages": {"archiveMiB": 1.5}}"#, "1:29"),
        (#"{"packages": {"archiveMiB": "5"}}"#, "1:29"),
        (#"{"packages": {"archiveMiB": null}}"#, "1:29"),
        (#"{"packages": {"entries": 1, "entries": 2}}"#, "1:29"),
        (#"{"packages": {}} x"#, "1:18"),
    ])
    func `invalid settings are rejected with their position`(text: String, position: String) throws
    {
        let error = #expect(throws: ConfigurationError.self) { try parsed(text) }
        #expect(error?.position.description == position, "\(error?.message ?? "")")
    }

    @Test func `the folder of the configuration follows the environment`() {
        let home = HostPaths(option: nil, environment: ["HOME": "/home/a"])
        #expect(home.configuration == "/home/a/.config/nervous/config.json")
        let other = HostPaths(
            option: nil, environment: ["HOME": "/home/a", "XDG_CONFIG_HOME": "/b"])
        #expect(other.configuration == "/b/nervous/config.json")
        let relative = HostPaths(
            option: nil, environment: ["HOME": "/home/a", "XDG_CONFIG_HOME": "b"])
        #expect(relative.configuration == home.configuration)
    }
}
