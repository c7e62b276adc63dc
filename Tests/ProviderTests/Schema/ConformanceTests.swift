import Auth
import HTTPTypes
import Samples
import TestSupport
import Testing
import Text

@testable import Provider

/// Compares the server with its description in both directions.
struct ConformanceTests {
    private static func description(of host: ServedHost) async throws -> Description {
        try Description(try await host.send(Call("GET", "/openapi.json")).body)
    }

    private static func prepare(_ host: ServedHost) async throws {
        try await host.install()
        _ = try await host.authority.createClient("desk", isOwner: true, expires: nil)
        for level in [1.5, 2, 3] {
            await host.collect(
                "gauge", [.number(level), .integer(.max), .text("on"), .text("é \"\n")])
        }
    }

    @Test func `every route is described and every described operation exists`() async throws {
        try await ServedHost.with { host in
            let described = try await Self.description(of: host).operations()
            let routes = host.provider.resources.flatMap { path, methods in
                methods.map { "\($0.rawValue) \(path)" }
            }
            #expect(Set(described.map { "\($0.method) \($0.path)" }) == Set(routes))
            #expect(Set(described.map(\.id)).count == described.count)
        }
    }

    @Test func `every parameter of a path is described`() async throws {
        try await ServedHost.with { host in
            let description = try await Self.description(of: host)
            for operation in try description.operations() {
                let parameters = operation.content["parameters"]?.array ?? []
                let names = parameters.compactMap { parameter -> String? in
                    let target = parameter["$ref"]?.string.map { description.validator.resolve($0) }
                    let content = target ?? parameter
                    guard content?["in"]?.string == "path" else { return nil }
                    return content?["name"]?.string
                }
                let inPath = operation.path.matches(of: /\{([a-z]+)\}/).map { String($0.1) }
                #expect(names == inPath, "\(operation.id)")
            }
        }
    }

    @Test func `every example conforms to its schema`() async throws {
        try await ServedHost.with { host in
            let description = try await Self.description(of: host)
            var count = 0
            func visit(_ value: JSONValue, _ path: String) {
                if let schema = value["schema"], let example = value["example"] {
                    count += 1
                    let faults = description.validator.faults(of: example, by: schema)
                    #expect(faults.isEmpty, "\(path): \(faults)")
                }
                for member in value.object ?? [] {
                    visit(member.value, "\(path)/\(member.key)")
                }
                for element in value.array ?? [] { visit(element, path) }
            }
            visit(description.root, "#")
            #expect(count > 50)
        }
    }

    @Test func `each described response occurs and conforms to its description`() async throws {
        try await ServedHost.with { host async throws in
            try await Self.prepare(host)
            let description = try await Self.description(of: host)
            let operations = Dictionary(
                uniqueKeysWithValues: try description.operations().map { ($0.id, $0) })
            var shown: [String: Set<Int>] = [:]
            func show(_ exercise: Exercise) async throws {
                let operation = try #require(operations[exercise.operation])
                let answer = try await host.send(exercise.call)
                let what =
                    "\(exercise.operation) \(exercise.call.target): \(answer.text.prefix(300))"
                #expect(answer.status == exercise.status, "\(what)")
                let faults = description.faults(of: answer, to: operation)
                #expect(faults.isEmpty, "\(faults) \(what)")
                shown[exercise.operation, default: []].insert(answer.status)
            }
            for exercise in try Exercise.all(host) { try await show(exercise) }
            for exercise in try await Exercise.runs(host) { try await show(exercise) }
            let app = try await host.begin().token
            for exercise in Exercise.analyses(host, app: app) { try await show(exercise) }
            let keeper = try await host.client("keeper", allow: ["storage", "notify"])
            for exercise in Exercise.notifications(by: keeper, owner: host.owner) {
                try await show(exercise)
            }
            for exercise in Exercise.appStorage(by: keeper, owner: host.owner) {
                try await show(exercise)
            }
            for exercise in try await Exercise.pushes(host) { try await show(exercise) }
            for exercise in Exercise.storage(host) { try await show(exercise) }
            for exercise in Exercise.packs(host) { try await show(exercise) }
            for exercise in try Exercise.catalogues(host) { try await show(exercise) }
            for exercise in try await Exercise.published(host) { try await show(exercise) }
            for exercise in try await Exercise.home(host) { try await show(exercise) }
            for exercise in try await Exercise.prometheus(host) { try await show(exercise) }
            for exercise in Exercise.sensorThings(host) { try await show(exercise) }
            for exercise in try await Exercise.sessions(host) { try await show(exercise) }
            for exercise in try await Exercise.sending(host) { try await show(exercise) }
            for exercise in try await Exercise.health(host) { try await show(exercise) }
            for exercise in Exercise.alerts(host) { try await show(exercise) }
            for exercise in Exercise.secrets(host) { try await show(exercise) }
            for exercise in Exercise.lock(host) { try await show(exercise) }
            try await LocalServer.with { _ in
                .answer("x")
            } _: { server in
                let fetches = try await Exercise.fetches(host, from: server)
                for exercise in fetches { try await show(exercise) }
                for exercise in try await Exercise.downloads(host, from: server) {
                    try await show(exercise)
                }
            }
            try await WebSocketServer.with(opening: [.text("x"), .close(1000)]) { server in
                for exercise in try await Exercise.openings(host, to: server) {
                    try await show(exercise)
                }
            }
            try await WebSocketServer.with { server in
                try await host.webSocket(host.owner, server.port) { _, id in
                    for exercise in Exercise.messages(host, to: id) { try await show(exercise) }
                }
            }
            for exercise in Exercise.phones(host) { try await show(exercise) }
            for exercise in try await Exercise.programRuns(host) { try await show(exercise) }
            let code = try await host.authority.launchCode(for: .app("my-app"))
            let nonce = await host.authority.pageNonce(for: .app("my-app"))
            try await show(
                Exercise(
                    "redeem", 201,
                    Call(
                        "POST", "/api/v1/launch", host: "my-app.localhost:\(host.port)",
                        json: #"{"code": "\#(code)", "page": "\#(nonce)"}"#)))
            for exercise in try await Self.shared(host, Array(operations.values)) {
                try await show(exercise)
            }
            // A host that does not listen has no address; see below.
            for operation in ["launch", "openDashboard"] {
                shown[operation, default: []].insert(503)
            }
            for operation in operations.values {
                #expect(
                    shown[operation.id] == description.statuses(of: operation), "\(operation.id)")
            }
        }
    }

    /// The responses that all operations share; invalid tokens last, because they are rate-limited.
    private static func shared(
        _ host: ServedHost, _ operations: [Description.Operation]
    ) async throws -> [Exercise] {
        let app = try await host.begin().token
        var exercises = try await several(host, app)
        for operation in operations {
            let path = operation.path.replacing(/\{[a-z]+\}/, with: "gauge")
            func call(_ token: String?) -> Call { Call(operation.method, path, token: token) }
            var foreign = call(host.owner)
            foreign.host = "example.org"
            exercises.append(Exercise(operation.id, 421, foreign))
            var cross = call(host.owner)
            cross.headers.append(("Origin", "http://example.org"))
            exercises.append(Exercise(operation.id, 403, cross))
            guard !operation.isOpen else { continue }
            exercises.append(Exercise(operation.id, 401, call(nil)))
            let isForAll = [
                "me", "listSensors", "sensor", "analyze", "batch", "permission",
                "requestPermission",
                "fetch", "openWebSocket", "sendToWebSocket", "closeWebSocket", "firstVersion",
                "firstRead", "publishedLatest", "publishedHistory",
                "publishedLog", "pushSensorLogger", "pushOwnTracks", "pushOsmAnd", "pushOsmAndGet",
                "pushOverland", "pushInfluxFirst", "pushInfluxSecond", "pushMetrics", "view",
                "streamSeveral",
                "statisticsSeveral", "healthTypes", "characteristic", "healthSamples",
                "saveHealthSamples", "saveHealthWorkout", "healthCorrelations",
                "saveHealthCorrelation", "removeHealthObject", "metrics", "prometheusQuery",
                "prometheusQueryForm", "prometheusRange", "prometheusRangeForm", "prometheusSeries",
                "prometheusSeriesForm", "prometheusLabels", "prometheusLabelsForm",
                "prometheusLabelValues", "prometheusMetadata", "prometheusBuild",
                "sensorThings", "sensorThings1", "sensorThings2", "sensorThings3", "sensorThings4",
                "sensorThings5",
            ].contains(operation.id)
            if !isForAll { exercises.append(Exercise(operation.id, 403, call(app))) }
        }
        let wrong = host.owner.dropLast() + "!"
        // One wrong launch code was sent before.
        for _ in 1...9 {
            let call = Call("GET", "/api/v1/me", token: String(wrong))
            exercises.append(Exercise("me", 401, call))
        }
        for operation in operations where !operation.isOpen {
            let path = operation.path.replacing(/\{[a-z]+\}/, with: "gauge")
            let call = Call(operation.method, path, token: String(wrong))
            exercises.append(Exercise(operation.id, 429, call))
        }
        let code = Call("POST", "/api/v1/launch", json: #"{"code": "x", "page": "y"}"#)
        return exercises + [Exercise("redeem", 429, code)]
    }

    /// The responses to a client that may use several sensors of a kind and names the kind.
    private static func several(_ host: ServedHost, _ app: String) async throws -> [Exercise] {
        for kind in ["heat", "light", "gyroscope"] {
            let chosen = ["\(kind).left", "\(kind).right"]
            for name in chosen { try await host.declareSensor(name, numbers: "x") }
            let choice = InstanceChoice(chosen.compactMap { SensorID($0) })
            let terms = Terms(access: .raw, only: choice)
            try await host.decide(.allow(terms), "sensor:\(kind)", by: "my-app")
        }
        let heat = "/api/v1/sensors/heat"
        let calls = [
            ("sensor", Call("GET", heat)), ("latest", Call("GET", "\(heat)/latest")),
            ("samples", Call("GET", "\(heat)/samples")), ("stream", Call("GET", "\(heat)/stream")),
            ("statistics", Call("GET", "\(heat)/stats")),
            (
                "analyze",
                Call(
                    "POST", "/api/v1/analyze",
                    json: #"{"analysis": "trend", "inputs": ["heat.x"]}"#)
            ),
            ("publishedLatest", Call("GET", "/nervousnet-api/raw-sensor-data/Light")),
            (
                "publishedHistory",
                Call("GET", "/nervousnet-api/historic-sensor-data?axon=Light&start=0&end=1")
            ),
            ("firstRead", Call("GET", "/nervous-api/gyr/getGyr")),
            ("homeTemperature", Call("GET", "/api/v1/home/temperature?sensor=heat")),
            ("homeDoorStatus", Call("GET", "/api/v1/home/door/status?sensor=heat")),
            ("homeDoorConnect", Call("POST", "/api/v1/home/door/connect?sensor=heat")),
            ("homeDoorDisconnect", Call("POST", "/api/v1/home/door/disconnect?sensor=heat")),
        ]
        return calls.map { operation, call in
            var call = call
            call.token = app
            return Exercise(operation, 409, call)
        }
    }

    @Test func `a host without a port has no address for a page`() async throws {
        try await ServedHost.with(knowsPort: false) { host async throws in
            try await host.install()
            let description = try await Self.description(of: host)
            for (operation, path) in [
                ("launch", "/api/v1/apps/my-app/launch"), ("openDashboard", "/api/v1/dashboard"),
            ] {
                let answer = try await host.send(Call("POST", path, token: host.owner))
                #expect(answer.status == 503)
                #expect(answer.code == "not-serving")
                let described = try description.operations().first { $0.id == operation }
                #expect(description.faults(of: answer, to: try #require(described)).isEmpty)
            }
        }
    }
}
