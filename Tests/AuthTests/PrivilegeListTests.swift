import Addresses
import Health
import Samples
import Testing
import Text

@testable import Auth

struct PrivilegeListTests {
    private static func parse(_ text: String) throws -> [Privilege] {
        let list = try StrictJSON().parse(Array(text.utf8))
        return try PrivilegeList(parsing: list).privileges
    }

    private func type(_ name: String) throws -> HealthType { try #require(HealthType(name)) }

    @Test func `every form of a privilege is parsed`() throws {
        let privileges = try Self.parse(
            """
            [
              "temperature",
              { "sensor": "accelerometer", "access": "raw", "reason": "Counts your steps" },
              { "sensor": "location", "access": "stats", "reason": "Shows how far you move" },
              { "sensor": "steps", "access": "write", "reason": "Publishes what it counted" },
              { "sensor": "network.eth0", "reason": "Shows the traffic" },
              { "net": ["https://api.example.org", "http://[::1]:8080"], "reason": "Weather" },
              { "storage": true }, { "notify": true, "reason": "Tells you" },
              { "identity": true, "reason": "Recognises this machine" },
              { "sessions": "read", "reason": "Shows your week" },
              { "sessions": "write", "reason": "Records workouts" },
              { "health": "heart-rate", "reason": "Shows it" },
              { "health": ["workout", "steps"], "access": "write", "reason": "Saves workouts" }
            ]
            """)
        #expect(
            privileges == [
                Privilege(.sensor("temperature", .raw), reason: ""),
                Privilege(.sensor("accelerometer", .raw), reason: "Counts your steps"),
                Privilege(.sensor("location", .stats), reason: "Shows how far you move"),
                Privilege(.sensor("steps", .write), reason: "Publishes what it counted"),
                Privilege(.sensor("network.eth0", .raw), reason: "Shows the traffic"),
                Privilege(
                    .net(try #require(WebOrigin("https://api.example.org")), pin: nil),
                    reason: "Weather"),
                Privilege(
                    .net(try #require(WebOrigin("http://[::1]:8080")), pin: nil), reason: "Weather"),
                Privilege(.storage, reason: ""), Privilege(.notify, reason: "Tells you"),
                Privilege(.identity, reason: "Recognises this machine"),
                Privilege(.sessions(.read), reason: "Shows your week"),
                Privilege(.sessions(.write), reason: "Records workouts"),
                Privilege(.health(try type("heart-rate"), .read), reason: "Shows it"),
                Privilege(.health(.workout, .write), reason: "Saves workouts"),
                Privilege(.health(try type("steps"), .write), reason: "Saves workouts"),
            ])
        #expect(
            privileges.map(\.id.description) == [
                "sensor:temperature", "sensor:accelerometer", "sensor:location:stats",
                "sensor:steps:write", "sensor:network.eth0", "net:https://api.example.org",
                "net:http://[::1]:8080", "storage", "notify", "identity", "sessions",
                "sessions:write", "health:heart-rate", "health:workout:write",
                "health:steps:write",
            ])
        #expect(Set(privileges.map(\.id)).isSuperset(of: PrivilegeID.others))
    }

    @Test func `every name of a privilege is parsed to a privilege of that name`() throws {
        let names = [
            "sensor:cpu", "sensor:cpu:stats", "sensor:cpu.a:write", "net:https://a.org",
            "health:heart-rate", "health:date-of-birth", "health:workout:write",
        ]
        for name in names + PrivilegeID.others.map(\.description) {
            let id = try #require(PrivilegeID(name))
            #expect(id.description == name)
            #expect(id.isGrantable)
            let resource = try #require(Privilege.Resource(id))
            #expect(Privilege(resource, reason: "").id == id)
        }
        #expect(Privilege.Resource(.net) == nil)
        #expect(PrivilegeID("sessions:read") == .sessions(.read))
        #expect(PrivilegeID("health:steps:read") == PrivilegeID("health:steps"))
        for wrong in [
            "sessions:stats", "sessions:raw", "storage:write", "sessions:", "session", "health",
            "health:", "health:pulse", "health:steps:raw", "health:steps:write:write",
            "health:blood-pressure", "health:blood-pressure:write", "health:date-of-birth:write",
        ] {
            #expect(PrivilegeID(wrong) == nil, "\(wrong)")
        }
    }

    @Test(arguments: [
        (#"{"sensor": "cpu"}"#, "1:1", "must be a list"),
        (#"[1]"#, "1:2", "sensor's name or an object"),
        (#"["*"]"#, "1:2", "not the name of a sensor"),
        (#"["network.*"]"#, "1:2", "not the name of a sensor"),
        (#"["CPU"]"#, "1:2", "not the name of a sensor"),
        (#"[{}]"#, "1:2", "names a sensor"),
        (#"[{"health": "pulse", "reason": "r"}]"#, "1:13", "unknown type of health data"),
        (#"[{"health": "stepps", "reason": "r"}]"#, "1:13", "did you mean steps?"),
        (#"[{"health": [], "reason": "r"}]"#, "1:13", "a list of types"),
        (#"[{"health": true, "reason": "r"}]"#, "1:13", "a list of types"),
        (#"[{"health": ["steps", "steps"], "reason": "r"}]"#, "1:2", "declared twice"),
        (#"[{"health": "steps"}]"#, "1:13", "needs a \"reason\""),
        (#"[{"secret": "A", "server": "https://a.org", "reason": "r"}]"#, "1:13", "a name of"),
        (#"[{"secret": "a", "reason": "r"}]"#, "1:13", "\"server\""),
        (#"[{"secret": "a", "server": "*", "reason": "r"}]"#, "1:13", "\"server\""),
        (#"[{"secret": "a", "server": "https://a.org"}]"#, "1:13", "needs a \"reason\""),
        (
            #"[{"health": "steps", "access": "raw", "reason": "r"}]"#, "1:32",
            "must be \"read\" or \"write\""
        ),
        (#"[{"health": "sex", "access": "write", "reason": "r"}]"#, "1:13", "the owner sets it"),
        (#"[{"health": "blood-pressure", "reason": "r"}]"#, "1:13", "privileges of the types"),
        (#"[{"camera": true}]"#, "1:3", "unknown privilege"),
        ("[\n  {\"sensor\": 1, \"reason\": \"r\"}]", "2:14", "must be a name"),
        (#"[{"sensor": "cpu", "access": "all", "reason": "r"}]"#, "1:30", "access must be"),
        (#"[{"sensor": "cpu", "access": 1, "reason": "r"}]"#, "1:30", "access must be"),
        (#"[{"sensor": "cpu"}]"#, "1:13", "needs a \"reason\""),
        (#"[{"sensor": "cpu", "reason": ""}]"#, "1:30", "not empty"),
        (#"[{"sensor": "cpu", "reason": " \n "}]"#, "1:30", "not empty"),
        (#"[{"sensor": "cpu", "reason": 7}]"#, "1:30", "must be a text"),
        (#"[{"sensor": "cpu", "reason": "r", "rate": 1}]"#, "1:35", "is not a member"),
        (#"[{"sensor": "cpu", "net": [], "reason": "r"}]"#, "1:20", "is not a member"),
        (#"["cpu", "cpu"]"#, "1:9", "twice"),
        (#"["cpu", {"sensor": "cpu", "access": "raw", "reason": "r"}]"#, "1:9", "twice"),
        (#"[{"storage": true}, {"storage": true}]"#, "1:21", "twice"),
        (#"[{"storage": false}]"#, "1:14", "must be true"),
        (#"[{"sessions": "read"}]"#, "1:15", "needs a \"reason\""),
        (#"[{"sessions": true, "reason": "r"}]"#, "1:15", "must be \"read\" or \"write\""),
        (#"[{"sessions": "stats", "reason": "r"}]"#, "1:15", "have no statistics"),
        (#"[{"notify": true}]"#, "1:13", "needs a \"reason\""),
        (#"[{"notify": 1, "reason": "r"}]"#, "1:13", "must be true"),
        (#"[{"net": "https://a.org", "reason": "r"}]"#, "1:10", "list of origins"),
        (#"[{"net": [], "reason": "r"}]"#, "1:10", "list of origins"),
        (#"[{"net": ["https://a.org"]}]"#, "1:10", "needs a \"reason\""),
        (
            "[{\"net\": [" + Array(repeating: #""https://a.org""#, count: 17).joined(separator: ",")
                + #"], "reason": "r"}]"#, "1:10", "at most 16 origins"
        ),
        (#"[{"net": ["https://a.org", "HTTPS://A.org:443"], "reason": "r"}]"#, "1:2", "twice"),
        (
            #"[{"net": ["https://a.org"], "reason": "r"}, {"net": ["https://a.org"], "reason": "r"}]"#,
            "1:45", "twice"
        ),
        (#"[{"net": ["http://169.254.169.254"], "reason": "r"}]"#, "1:11", "no app may call"),
        (#"[{"net": ["http://other.localhost"], "reason": "r"}]"#, "1:11", "no app may call"),
        (#"[{"net": ["https://a.org"], "reason": "r", "pin": "x"}]"#, "1:51", "must be an object"),
        (
            #"[{"net": ["https://a.org"], "reason": "r", "pin": {"https://b.org": "x"}}]"#, "1:52",
            "of the same net"
        ),
        (
            #"[{"net": ["http://a.org"], "reason": "r", "pin": {"http://a.org": "x"}}]"#, "1:51",
            "https origins"
        ),
        (
            #"[{"net": ["https://a.org"], "reason": "r", "pin": {"https://a.org": "sha256/x"}}]"#,
            "1:69", "a pin is sha256/"
        ),
        (#"[{"sensor": "cpu", "reason": "r", "pin": {}}]"#, "1:35", "is not a member"),
    ])
    func `an invalid form or a missing reason is rejected with its position`(
        text: String, place: String, message: String
    ) {
        let error = #expect(throws: PrivilegeSyntaxError.self) { try Self.parse(text) }
        #expect(error?.position.description == place)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        "https://a.org/", "https://a.org/path", "https://*.org", "*", "ftp://a.org", "a.org",
        "https://", "https://a.org:", "https://a.org:99999", "https://a.org:x", "https://a..org",
        "https://.org", "https://a.org?x", "https://u@a.org", "https://a.org#x", "https://a b",
        "https://a.org:80:80", "https://ä.org", "https://[::1", "https://a.org\\n",
        "https://2130706433", "https://a.org.",
    ])
    func `net accepts only origins`(origin: String) {
        let error = #expect(throws: PrivilegeSyntaxError.self) {
            try Self.parse(#"[{"net": ["https://a.org", "\#(origin)"], "reason": "r"}]"#)
        }
        #expect(error?.position.description == "1:28")
    }

    @Test func `a pin belongs to one origin`() throws {
        let text = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let found = try Self.parse(
            """
            [{"net": ["https://box.local:8443", "https://a.org"], "reason": "r",
              "pin": {"https://box.local:8443": "\(text)"}}]
            """)
        let pins = found.map { privilege in
            if case .net(_, let pin) = privilege.resource { pin?.description } else { "no net" }
        }
        #expect(pins == [text, nil])
    }

    @Test func `a reason has at most 200 characters`() throws {
        let longest = String(repeating: "x", count: 200)
        #expect(try Self.parse(#"[{"sensor": "cpu", "reason": "\#(longest)"}]"#).count == 1)
        let error = #expect(throws: PrivilegeSyntaxError.self) {
            try Self.parse(#"[{"sensor": "cpu", "reason": "\#(longest)x"}]"#)
        }
        #expect(error?.position.description == "1:30")
    }

    @Test func `an app declares at most 64 privileges`() throws {
        let names = (1...65).map { "\"s\($0)\"" }
        #expect(try Self.parse("[\(names.prefix(64).joined(separator: ","))]").count == 64)
        #expect(throws: PrivilegeSyntaxError.self) {
            try Self.parse("[\(names.joined(separator: ","))]")
        }
    }

    @Test func `texts of the app are escaped in the message`() {
        let error = #expect(throws: PrivilegeSyntaxError.self) {
            try Self.parse(#"["\u001b[31mred\u202e"]"#)
        }
        #expect(error?.message.unicodeScalars.contains(where: \.isUnsafeToDisplay) == false)
    }

    @Test func `a decision about every server applies to secrets, which are sent to one`() {
        let secret = PrivilegeID("secret:api-key:https://api.example.org")
        #expect(secret?.origin?.description == "https://api.example.org")
        #expect(secret?.isDecided(by: .net) == true)
        #expect(secret.map { PrivilegeID.net.isDecided(by: $0) } == false)
        let server = PrivilegeID("net:https://api.example.org")
        #expect(server.map { secret?.covers($0) } == false)
    }

    @Test(arguments: [
        "", "sensor", "sensor:", "sensor:*", "sensor:cpu:", "sensor:cpu:all", "sensor:cpu:raw:x",
        "SENSOR:cpu", "cpu", "net:x", " net", "sensor:cpu ", "net:", "net:https://a.org/",
        "net:http://169.254.169.254",
        "net:http://app.localhost:8080", "net:*", "net:https://*.org", "secret:a", "secret:",
        "secret:A:https://a.org", "secret:a:https://a.org/", "secret:a:http://169.254.169.254",
    ])
    func `an invalid name of a privilege is rejected`(text: String) {
        #expect(PrivilegeID(text) == nil)
    }

    @Test(arguments: [
        "sensor:cpu", "sensor:cpu:stats", "sensor:cpu:write", "net", "storage",
        "net:https://api.example.org", "net:http://[::1]:8080", "net:https://box.local:8443",
        "secret:api-key:https://api.example.org", "secret:a:http://[::1]:8080",
    ])
    func `a parsed name of a privilege is written unchanged`(text: String) {
        #expect(PrivilegeID(text)?.description == text)
    }
}
