import Foundation
import TestSupport
import Testing

/// The listener for the local network, from the outside: curl and OpenSSL at an address of loopback
/// that is configured like one of a network.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct LocalNetworkTests {
    private static let address = "127.0.0.2"

    private struct Network: Decodable {
        let urls: [String]
        let pin: String
        let authority: String
        let fingerprint: String
    }

    private struct Status: Decodable {
        let localNetwork: Network?
    }

    private struct Phone: Decodable {
        let token: String
        let sensorLogger: String
        let ownTracks: String
        let influx: String
        let qr: String?
    }

    /// A host that listens there, and a phone that was added.
    private struct Setup {
        let sandbox: Sandbox
        let host: ServingHost
        let network: Network
        let phone: Phone

        init() throws {
            sandbox = try Sandbox()
            try sandbox.configure(
                #"{"lan": {"port": 0, "addresses": ["\#(LocalNetworkTests.address)"]}}"#)
            host = try ServingHost(sandbox)
            let status = try JSONDecoder().decode(
                Status.self, from: Data(try sandbox.nervous("status", "--json").output.utf8))
            network = try #require(status.localNetwork)
            let added = try sandbox.nervous("sensors", "add-phone", "ann", "--qr", "--json")
            phone = try JSONDecoder().decode(Phone.self, from: Data(added.output.utf8))
        }

        var origin: String { network.urls[0] }
        var place: String { String(origin.dropFirst("https://".count)) }

        /// curl, which trusts the authority, with the phone's token.
        func curl(_ arguments: String...) throws -> (status: Int, body: String) {
            try sandbox.curl(
                ["--cacert", network.authority, "-H", "Authorization: Bearer \(phone.token)"]
                    + arguments)
        }

        /// The end of an invocation of OpenSSL's client with one version of TLS.
        func connect(_ version: String) throws -> Invocation {
            try Invocation(
                "/usr/bin/openssl",
                [
                    "s_client", "-connect", place, version, "-cipher", "DEFAULT@SECLEVEL=0",
                    "-CAfile", network.authority, "-verify_return_error",
                ], environment: sandbox.environment)
        }

        func stop() throws {
            host.kill(SIGTERM)
            #expect(try host.wait() == 0)
        }
    }

    private static let steps =
        #"{"payload":[{"name":"pedometer","time":1698501144401740000,"values":{"steps":12}}]}"#

    @Test func `a phone pushes samples over TLS, and they are read on this machine`() throws {
        let setup = try Setup()
        #expect(setup.phone.sensorLogger == "\(setup.origin)/api/v1/push/sensor-logger")
        let steps = try setup.curl("--json", Self.steps, setup.phone.sensorLogger)
        #expect(steps.status == 200, "\(steps.body)")
        // As OwnTracks does: Basic, and the pin instead of the authority.
        let place = try setup.sandbox.curl(
            "-k", "--pinnedpubkey", setup.network.pin.replacing("sha256/", with: "sha256//"),
            "-u", "ann:\(setup.phone.token)", "--json",
            #"{"_type":"location","lat":1,"lon":2,"alt":3,"tst":1698501144,"batt":50}"#,
            setup.phone.ownTracks)
        #expect(place.status == 200, "\(place.body)")
        let light = try setup.curl(
            "--data-binary", "light,phone=ann illuminance=120 1795243511000000000",
            "\(setup.phone.influx)/api/v2/write")
        #expect(light.status == 204, "\(light.body)")
        for (sensor, shown) in [("steps.ann", "12"), ("battery.ann", "50"), ("light.ann", "120")] {
            let query = try setup.sandbox.nervous("query", sensor)
            #expect(query.output.contains(shown), "\(query.output)\(query.errors)")
        }
        try setup.stop()
    }

    @Test func `no other route of the API exists there`() throws {
        let setup = try Setup()
        let document = try setup.sandbox.curl(setup.host.url("/openapi.json"))
        let description = try #require(
            try JSONSerialization.jsonObject(with: Data(document.body.utf8)) as? [String: Any])
        let paths = try #require(description["paths"] as? [String: [String: Any]])
        var calls: [(method: String, path: String)] = paths.flatMap { path, methods in
            methods.keys.filter { ["get", "put", "post", "patch", "delete"].contains($0) }
                .map { ($0.uppercased(), path) }
        }
        calls += [
            ("GET", "/"), ("GET", "/index.html"), ("GET", "/nervous.js"), ("GET", "/apps/a"),
            ("GET", "/dashboard/dashboard.js"), ("GET", "/lib/charts.js"),
            ("GET", "//api/v1/status"), ("GET", "/api/v1/push/../status"),
            ("GET", "/api/v1/push/%2e%2e/status"),
        ]
        #expect(calls.count > 60)
        let pushes = paths.keys.filter { $0.hasPrefix("/api/v1/push/") || $0 == "/v1/metrics" }
        #expect(pushes.count == 7)
        for (method, path) in calls where !pushes.contains(path) {
            let real = path.replacing(/\{[^}]*\}/, with: "ann")
            let answer = try setup.curl(
                "--path-as-is", "-X", method, "-H", "Content-Length: 0", setup.origin + real)
            #expect(answer.status == 404, "\(method) \(path)")
            #expect(answer.body.contains(#""code":"not-found""#), "\(method) \(path)")
        }
        for path in pushes {
            // A phone may send its position in a GET call; one without a position is accepted and counted.
            let isRead = paths[path]?["get"] != nil
            #expect(try setup.curl(setup.origin + path).status == (isRead ? 200 : 405), "\(path)")
        }
        try setup.stop()
    }

    @Test func `only tokens of phones and programs are accepted, and guessing is limited`() throws {
        let setup = try Setup()
        let made = try setup.sandbox.nervous("token", "create", "desk", "--owner").output
        let owner = try String(#require(made.firstMatch(of: /nvs_[\w-]+/)).output)
        func push(_ token: String?) throws -> (status: Int, body: String) {
            let header = token.map { ["-H", "Authorization: Bearer \($0)"] } ?? []
            return try setup.sandbox.curl(
                ["--cacert", setup.network.authority] + header + [
                    "--json", Self.steps, setup.phone.sensorLogger,
                ])
        }
        let refused = try push(owner)
        #expect(refused.status == 403)
        #expect(refused.body.contains(#""code":"denied""#), "\(refused.body)")
        #expect(try push(nil).status == 401)
        for _ in 0..<4 { #expect(try push("nvs_wrong").status == 401) }
        #expect(try push("nvs_wrong").status == 429)
        #expect(try push(setup.phone.token).status == 429)
        // On this machine the same token is accepted meanwhile.
        let local = try setup.sandbox.curl(
            "-H", "Authorization: Bearer \(setup.phone.token)", "--json", Self.steps,
            setup.host.url("/api/v1/push/sensor-logger"))
        #expect(local.status == 200, "\(local.body)")
        try setup.stop()
    }

    @Test func `requests for another name and those of pages are refused`() throws {
        let setup = try Setup()
        let port = setup.place.split(separator: ":")[1]
        func push(_ fields: [String]) throws -> Int {
            try setup.sandbox.curl(
                [
                    "--cacert", setup.network.authority, "-H",
                    "Authorization: Bearer \(setup.phone.token)",
                ] + fields.flatMap { ["-H", $0] } + [
                    "--json", Self.steps, setup.phone.sensorLogger,
                ]
            ).status
        }
        #expect(try push([]) == 200)
        for host in [
            "evil.example:\(port)", "localhost:\(port)", "127.0.0.1:\(port)", Self.address,
            "\(Self.address):1", "ann.localhost:\(port)",
        ] {
            #expect(try push(["Host: \(host)"]) == 421, "\(host)")
        }
        for field in [
            "Origin: https://evil.example", "Origin: \(setup.origin)", "Origin: null",
            "Sec-Fetch-Site: cross-site",
        ] {
            #expect(try push([field]) == 403, "\(field)")
        }
        // The names of this machine are accepted.
        if let name = setup.network.urls.first(where: { $0.contains(".local:") }) {
            #expect(try push(["Host: \(name.dropFirst("https://".count))"]) == 200)
        }
        try setup.stop()
    }

    @Test func `without TLS, with an old version, or with a wrong pin there is no answer`() throws {
        let setup = try Setup()
        #expect(try setup.sandbox.curl("http://\(setup.place)/health").status == 0)
        #expect(try setup.sandbox.curl("\(setup.origin)/health").status == 0)
        let pin = "sha256//" + Data(repeating: 0, count: 32).base64EncodedString()
        let wrong = try setup.sandbox.curl(
            "-k", "--pinnedpubkey", pin, "\(setup.origin)/health")
        #expect(wrong.status == 0)
        for version in ["-tls1_2", "-tls1_3"] {
            let accepted = try setup.connect(version)
            #expect(accepted.code == 0, "\(version): \(accepted.errors)")
        }
        for version in ["-tls1", "-tls1_1"] {
            let refused = try setup.connect(version)
            #expect(refused.code != 0)
            #expect(refused.errors.contains("protocol version"), "\(refused.errors)")
        }
        try setup.stop()
    }

    @Test func `the QR code is read as the text of the JSON report`() throws {
        let setup = try Setup()
        let expected = [
            "\(setup.origin)/api/v1/push/sensor-logger",
            "Authorization: Bearer \(setup.phone.token)", "Pin: \(setup.network.pin)",
        ].joined(separator: "\n")
        #expect(setup.phone.qr == expected)
        for (app, name) in [("sensor-logger", "bob"), ("owntracks", "cid"), ("influx", "dan")] {
            var ascii = setup.sandbox.environment
            ascii["LC_ALL"] = "C"
            let shown = try Invocation(
                Binary.nervous, ["sensors", "add-phone", name, "--app", app, "--qr"],
                environment: ascii)
            #expect(shown.code == 0, "\(shown.errors)")
            let read = try Self.scan(shown.output, in: setup.sandbox)
            let token = try #require(shown.output.firstMatch(of: /nvs_[\w-]+/)).output
            if app == "owntracks" {
                let prefix = "owntracks:///config?inline="
                #expect(read.hasPrefix(prefix))
                let text = try #require(
                    read.dropFirst(prefix.count).removingPercentEncoding
                        .flatMap { Data(base64Encoded: $0) })
                let settings = try #require(
                    try JSONSerialization.jsonObject(with: text) as? [String: Any])
                #expect(settings["_type"] as? String == "configuration")
                #expect(settings["mode"] as? Int == 3)
                #expect(settings["url"] as? String == "\(setup.origin)/api/v1/push/owntracks")
                #expect(settings["username"] as? String == name)
                #expect(settings["password"] as? String == String(token))
            } else {
                #expect(read.hasPrefix("\(setup.origin)/api/v1/push/\(app)\n"), "\(read)")
                #expect(read.contains("\nAuthorization: Bearer \(token)\n"), "\(read)")
                #expect(read.contains("\nPin: \(setup.network.pin)"), "\(read)")
            }
        }
        try setup.stop()
    }

    /// Reads the QR code in an output, drawn with `##`.
    private static func scan(_ output: String, in sandbox: Sandbox) throws -> String {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        let rows = lines.filter { $0.count > 50 && $0.allSatisfy { " #".contains($0) } }
        let width = try #require(rows.first).count / 2
        #expect(rows.count == width)
        let scale = 4
        var image = "P2 \(width * scale) \(rows.count * scale) 1\n"
        for row in rows {
            let dots = Array(row)
            let line = (0..<width).map { column in
                String(repeating: dots[column * 2] == "#" ? "0 " : "1 ", count: scale)
            }.joined()
            image += String(repeating: line + "\n", count: scale)
        }
        let file = sandbox.path("code.pgm")
        try image.write(toFile: file, atomically: true, encoding: .utf8)
        let read = try Invocation(
            "/usr/bin/zbarimg", ["--raw", "-q", file], environment: sandbox.environment)
        return read.output.trimmingCharacters(in: .newlines)
    }

    @Test func `a host without the listener says how to turn it on, and adds no phone`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let refused = try sandbox.nervous("sensors", "add-phone", "ann", "--qr")
        #expect(refused.code == 69)
        #expect(refused.errors.contains("nervous serve --lan 8443"), "\(refused.errors)")
        #expect(try !sandbox.nervous("sensors", "list", "--all").output.contains("steps.ann"))
        let added = try sandbox.nervous("sensors", "add-phone", "ann")
        #expect(added.code == 0, "\(added.errors)")
        #expect(added.output.contains("nervous serve --lan 8443"))
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `the option sets the port, and an address of another machine is refused`() throws {
        let sandbox = try Sandbox()
        try sandbox.configure(#"{"lan": {"port": 1, "addresses": ["\#(Self.address)"]}}"#)
        let host = try ServingHost(sandbox, ["--lan", "0"])
        let shown = try sandbox.nervous("status").output
        #expect(shown.contains("Accepting pushed samples at https://\(Self.address):"), "\(shown)")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        try sandbox.configure(#"{"lan": {"addresses": ["192.0.2.1"]}}"#)
        let refused = try sandbox.nervous("serve", "--port", "0")
        #expect(refused.code == 69)
        #expect(
            refused.errors.contains("This machine has no address 192.0.2.1."), "\(refused.errors)")
        let wrong = try sandbox.nervous("serve", "--lan", "65536")
        #expect(wrong.code == 64)
    }

    @Test func `the pin and the certificate survive a restart`() throws {
        let first = try Setup()
        try first.stop()
        let host = try ServingHost(first.sandbox)
        let status = try JSONDecoder().decode(
            Status.self, from: Data(try first.sandbox.nervous("status", "--json").output.utf8))
        #expect(status.localNetwork?.pin == first.network.pin)
        #expect(status.localNetwork?.fingerprint == first.network.fingerprint)
        let key = "\(first.sandbox.data)/local-network/server-key.pem"
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
