import Addresses
import AppRuns
import Connectors
import JSApps
import Samples
import Text
import VM

/// One setting of `config.json`: its meaning for the owner, and its value in a configuration.
///
/// The sections parse the file; this list describes it, for `nervous config` and for the template.
struct ConfigurationSetting: Sendable {
    /// Its keys from the outermost section on: `budgets.fetch.requestKiB`.
    let name: String
    /// What it sets, with unit and limits; without a full stop.
    let meaning: String
    /// For a setting without a default: a value that it could have.
    let example: JSONValue?
    private let read: @Sendable (Configuration) -> JSONValue?

    private init(
        _ name: String, _ meaning: String, example: JSONValue? = nil,
        read: @escaping @Sendable (Configuration) -> JSONValue?
    ) {
        (self.name, self.meaning, self.example, self.read) = (name, meaning, example, read)
    }

    private init(
        _ name: String, _ meaning: String, example: Int? = nil,
        number: @escaping @Sendable (Configuration) -> Int?
    ) {
        self.init(name, meaning, example: example.map { JSONValue($0) }) {
            number($0).map { JSONValue($0) }
        }
    }

    private init(
        _ name: String, _ meaning: String, example: String? = nil,
        text: @escaping @Sendable (Configuration) -> String?
    ) {
        self.init(name, meaning, example: example.map { JSONValue($0) }) {
            text($0).map { JSONValue($0) }
        }
    }

    /// The value that is in effect; `nil` if there is none.
    func value(in configuration: Configuration) -> JSONValue? { read(configuration) }

    /// The meaning of each section.
    static let sections = [
        "packages": "Limits for packages",
        "budgets": "Limits for apps; an app that exceeds one is ended",
        "budgets.total": "Limits for all apps together",
        "budgets.fetch": "Calls of an app to other servers, of all its runs and pages together",
        "accessLog": "The record of what was allowed, read and refused",
        "gpsd": "The gpsd that provides location, satellites, location-quality and gps-time",
        "nut": "The NUT server whose uninterruptible power supplies are sensors",
        "mqtt": "The broker where other programs announce their sensors; by default there is none",
        "policyBroker":
            "The program that is asked about privileges before you are; by default there is none",
        "lan": "The listener for phones in the local network; by default there is none",
    ]

    /// All settings, section by section.
    static let all: [ConfigurationSetting] =
        packages + budgets + total + fetch + [
            ConfigurationSetting(
                "accessLog.budgetMiB",
                "MiB of the log, from 1 to 1048576; entries of the last 7 days are kept beyond it",
                number: { Int($0.accessLogBudget >> 20) }),
            ConfigurationSetting(
                "flush",
                "the longest time that collected samples wait until they are written, from 0s to 10m",
                text: { $0.flush.span }),
            ConfigurationSetting(
                "libraries",
                "the folder of the JavaScript libraries that pages may load, as an absolute path",
                text: { $0.libraries }),
            ConfigurationSetting(
                "tiles",
                "the folder of the map tiles {z}/{x}/{y}.png that are drawn below routes, as an"
                    + " absolute path; by default there is none",
                example: "/srv/tiles", text: { $0.tiles }),
            ConfigurationSetting(
                "geoclue",
                "whether GeoClue may find the location: it can send the names of networks nearby to"
                    + " a server",
                read: { JSONValue(.bool($0.geoclue)) }),
            ConfigurationSetting(
                "permissionSets",
                "named lists of privileges for nervous run -P NAME; by default there are none",
                example: JSONValue([
                    "weather": PermissionSet(allow: ["sensor:temperature"], deny: ["net"]).json
                ])
            ) { configuration in
                let sets = configuration.permissionSets.sorted { $0.key < $1.key }
                return sets.isEmpty ? nil : JSONValue(sets.map { ($0.key, $0.value.json) })
            },
        ] + policyBroker + gpsd + nut + mqtt + localNetwork

    private static let packages = [
        ConfigurationSetting(
            "packages.archiveMiB", "MiB of an archive, from 1 to 256",
            number: { $0.packages.archiveBytes >> 20 }),
        ConfigurationSetting(
            "packages.unpackedMiB", "MiB of all files of a package together, from 1 to 512",
            number: { $0.packages.unpackedBytes >> 20 }),
        ConfigurationSetting(
            "packages.fileMiB", "MiB of one file of a package, from 1 to 256",
            number: { $0.packages.fileBytes >> 20 }),
        ConfigurationSetting(
            "packages.entries", "files and folders of a package, from 3 to 10000",
            number: { $0.packages.entries }),
        ConfigurationSetting(
            "packages.pathBytes", "bytes of a path in UTF-8, from 16 to 1024",
            number: { $0.packages.pathBytes }),
        ConfigurationSetting(
            "packages.depth", "components of a path, from 2 to 64",
            number: { $0.packages.depth }),
    ]

    private static let budgets = [
        budget(
            "turnMilliseconds",
            "ms of one script, or of one callback with its microtasks, from 100 to 600000"
        ) { Int($0.turn / .milliseconds(1)) },
        budget(
            "turnCPUMilliseconds",
            "ms of processor time of one script or callback, from 100 to 600000"
        ) { Int($0.turnCPU / .milliseconds(1)) },
        budget("cpuSeconds", "s of processor time of a run, from 1 to 100000000") {
            Int($0.cpu / .seconds(1))
        },
        budget("cpuPerMinuteSeconds", "s of processor time within a minute, from 1 to 60") {
            Int($0.cpuPerMinute / .seconds(1))
        },
        budget("memoryMiB", "MiB of memory beyond that of the engine, from 96 to 4096") {
            $0.memory >> 20
        },
        budget(
            "durationSeconds", "s of a run, from 1 to 100000000; by default a run is not limited",
            example: 3600
        ) { $0.duration.map { Int($0 / .seconds(1)) } },
        budget("callsPerMinute", "calls to the host within a minute, from 1 to 10000000") {
            $0.callsPerMinute
        },
        budget("logKiBPerMinute", "KiB of console output within a minute, from 1 to 1000000") {
            $0.logPerMinute >> 10
        },
        ConfigurationSetting(
            "budgets.apps", "the same settings for single apps, by their names",
            example: JSONValue(["load-watch": JSONValue(["memoryMiB": JSONValue(256)])]),
            read: { _ in nil }),
    ]

    private static let total = [
        ConfigurationSetting(
            "budgets.total.memoryMiB",
            "MiB of memory beyond that of the engines, from 96 to 1048576; by default a quarter of the"
                + " memory of the machine, and at least 512",
            example: 2048, number: { $0.budgets.totalMemory.map { $0 >> 20 } }),
        ConfigurationSetting(
            "budgets.total.runs", "runs at one time, from 1 to 4096",
            number: { $0.budgets.total.runs }),
        ConfigurationSetting(
            "budgets.total.diskMiB",
            "MiB on the disk, half for packages and half for what apps store, from 128 to 1048576",
            number: { $0.budgets.total.disk >> 20 }),
    ]

    private static let fetch = [
        budget("fetch.durationSeconds", "s of one call with its redirects, from 1 to 600") {
            Int($0.fetch.duration / .seconds(1))
        },
        budget("fetch.callsPerMinute", "calls within a minute, from 1 to 100000") {
            $0.fetch.callsPerMinute
        },
        budget("fetch.callsAtOnce", "concurrent calls, from 1 to 16") { $0.fetch.callsAtOnce },
        budget("fetch.requestKiB", "KiB of the body of a request, from 1 to 1024") {
            $0.fetch.requestBytes >> 10
        },
        budget("fetch.answerMiB", "MiB of the body of a response, from 1 to 64") {
            $0.fetch.answerBytes >> 20
        },
    ]

    private static let policyBroker = [
        ConfigurationSetting(
            "policyBroker.socket",
            "the absolute path of its socket, which only you can write to; the only setting that is"
                + " required",
            example: "/run/user/1000/policy-broker.sock", text: { $0.policyBroker?.socket }),
        ConfigurationSetting(
            "policyBroker.timeout", "how long an answer may take, from 100ms to 30s; by default 2s",
            example: "2s", text: { $0.policyBroker?.timeout.span }),
        ConfigurationSetting(
            "policyBroker.allow",
            "the privileges that it may allow, each with the widest terms; by default there are none",
            example: JSONValue([
                JSONValue("sensor:load"),
                JSONValue([
                    "privilege": JSONValue("sensor:cpu:stats"), "history": JSONValue("7d"),
                ]),
            ]), read: { $0.policyBroker?.allow }),
    ]

    private static let gpsd = [
        ConfigurationSetting("gpsd.host", "its IP address", text: { $0.gpsd.host }),
        ConfigurationSetting("gpsd.port", "its port", number: { $0.gpsd.port }),
        ConfigurationSetting(
            "gpsd.restAfter",
            "after how long without motion, from 1m to 1d, the receiver is polled instead of"
                + " streamed; without it, it is always streamed",
            example: "5m", text: { $0.gpsd.rest?.after.span }),
        ConfigurationSetting(
            "gpsd.pollInterval",
            "how often a receiver without motion is polled for a fix, from 5s to 25s; needs"
                + " restAfter",
            example: "20s", text: { $0.gpsd.rest?.every.span }),
    ]

    private static let nut = [
        ConfigurationSetting("nut.host", "its IP address", text: { $0.nut.host }),
        ConfigurationSetting("nut.port", "its port", number: { $0.nut.port }),
    ]

    private static let mqtt = [
        ConfigurationSetting(
            "mqtt.host", "its name or address; the only setting that is required",
            example: "broker.home", text: { $0.mqtt?.broker.host }),
        ConfigurationSetting(
            "mqtt.port", "its port; by default 1883, with tls 8883", example: 8883,
            number: { $0.mqtt?.broker.port }),
        ConfigurationSetting(
            "mqtt.username", "1 to 256 bytes", example: "nervous",
            text: { $0.mqtt?.broker.username }),
        ConfigurationSetting(
            "mqtt.passwordFile",
            "the absolute path of a file that contains only the password, or secret:NAME for a secret of"
                + " source:mqtt; needs username",
            example: "/etc/nervous/mqtt-password",
            text: { $0.mqtt?.broker.password?.reference }),
        ConfigurationSetting(
            "mqtt.tls", "whether the connection is encrypted, and the certificate checked",
            example: JSONValue(.bool(true)),
            read: { $0.mqtt.map { JSONValue(.bool($0.broker.trust != nil)) } }),
        ConfigurationSetting(
            "mqtt.ca",
            "the absolute path of a PEM file with the only accepted authorities; needs tls",
            example: "/etc/nervous/broker.pem",
            text: { configuration in
                guard case .authorities(let file)? = configuration.mqtt?.broker.trust else {
                    return nil
                }
                return file
            }),
        ConfigurationSetting(
            "mqtt.discoveryPrefix", "the first levels of the topics of announcements",
            example: "homeassistant", text: { $0.mqtt?.prefix }),
        ConfigurationSetting(
            "mqtt.tokenFile",
            "the absolute path of a file with the token of the client home-assistant, whose"
                + " sensors are announced; by default none is",
            example: "/etc/nervous/home-assistant-token", text: { $0.mqtt?.tokenFile }),
    ]

    private static let localNetwork = [
        ConfigurationSetting(
            "lan.port", "its port; by default 8443; 0 for any free port", example: 8443,
            number: { $0.localNetwork?.port }),
        ConfigurationSetting(
            "lan.addresses",
            "1 to 8 IP addresses of this machine; by default those in private networks",
            example: JSONValue([JSONValue("192.168.1.7")]),
            read: {
                $0.localNetwork?.addresses.map { JSONValue($0.map { JSONValue($0.description) }) }
            }),
    ]

    private static func budget(
        _ name: String, _ meaning: String, example: Int? = nil,
        _ read: @escaping @Sendable (RunBudget) -> Int?
    ) -> ConfigurationSetting {
        ConfigurationSetting(
            "budgets.\(name)", meaning, example: example, number: { read($0.budgets.common) })
    }
}
