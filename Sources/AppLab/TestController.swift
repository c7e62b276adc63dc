import AppRuns
import Auth
import Foundation
import Host
import JSApps
import Samples
import Simulation
import Text
import VM

/// Lets a test control its host: sets sensors, decides about privileges, and records the app's
/// actions.
///
/// Tests call it over the app's own connection, under a path that other hosts do not serve.
actor TestController {
    static let path = "/api/test"
    /// The maximum number of calls that are recorded.
    private static let maximumCalls = 10_000
    /// Calls about the health store, which the host itself answers as to its owner.
    private static let healthPath = path + "/health/"

    private let simulation: SimulationState?
    private let clock: VirtualClock
    private let machine: VirtualMachine
    private let authority: Authority
    private let app: Manifest
    private let run: String
    private(set) var result = TestResult()
    private(set) var report: TestReport?
    /// The output on the console.
    private(set) var console: [TestResult.Line] = []

    /// - Parameter simulation: the simulated sensors; `nil` if they were recorded.
    init(
        simulation: SimulationState?, clock: VirtualClock, machine: VirtualMachine,
        authority: Authority,
        app: Manifest, run: String
    ) {
        self.simulation = simulation
        self.clock = clock
        self.machine = machine
        self.authority = authority
        self.app = app
        self.run = run
    }

    /// Records an event of the run.
    func record(_ event: RunEvent) {
        switch event {
        case .console(let level, let text):
            let line = TestResult.Line(level: "\(level)", t: clock.now.milliseconds, text: text)
            console.append(line)
            if result.exit == nil { result.lines.append(line) }
        case .uncaught(let message, let location, _):
            guard result.exit == nil else { return }
            result.errors.append(
                TestResult.Failure(message: message, place: location, t: clock.now.milliseconds))
        case .started, .view, .markup: break
        }
    }

    /// The owner's call for a test's call about the health store; `nil` for other calls.
    nonisolated func ownersCall(for call: HostCall) -> HostCall? {
        guard call.target.hasPrefix(Self.healthPath) else { return nil }
        let type = call.headers.filter { $0.name.lowercased() == "content-type" }
        return HostCall(
            method: call.method,
            target: "/api/v1/health/" + call.target.dropFirst(Self.healthPath.count),
            host: "localhost",
            headers: type + [("Authorization", "Bearer \(authority.ownerToken.text)")],
            body: call.body)
    }

    /// Declares a sensor that the app publishes to, with the fields of its first sample, as the
    /// owner would have done before.
    func prepare(for call: HostCall) async {
        let parts = call.target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        guard call.method == "POST", parts.count == 5,
            parts.starts(with: ["api", "v1", "sensors"]),
            parts[4] == "samples", let id = SensorID(Self.decoded(parts[3])),
            app.privileges.contains(where: { $0.id == PrivilegeID.sensor(id, .write) }),
            await machine.status(of: id) == nil,
            case .object(let members)? = SentJSON.list(call.body).first
        else { return }
        let fields = members.sorted { $0.key < $1.key }.compactMap { name, value -> Field? in
            switch value {
            case .integer, .number: name == "t" ? nil : Field(name, unit: "1")
            case .string: name == "t" ? nil : Field(name, kind: .text)
            default: nil
            }
        }
        // If the declaration fails, the publication is rejected with the reason.
        guard let sensor = try? Sensor(declared: id, title: "\(id)", fields: fields) else { return }
        _ = try? await machine.declare(sensor)
    }

    /// Records a call to the API.
    func record(_ call: HostCall, status: UInt16) {
        guard result.exit == nil, result.calls.count < Self.maximumCalls else { return }
        let path = call.target.prefix { $0 != "?" }
        result.calls.append(
            TestResult.Call(
                method: call.method, path: call.target, status: Int(status),
                t: clock.now.milliseconds))
        guard call.method == "POST", (200..<300).contains(status) else { return }
        let parts = path.split(separator: "/").map(String.init)
        if parts.starts(with: ["api", "v1", "sensors"]), parts.count == 5, parts[4] == "samples" {
            result.published[Self.decoded(parts[3]), default: []] += SentJSON.list(call.body)
        }
        if parts.starts(with: ["api", "v1", "notifications"]) {
            result.notifications += SentJSON.list(call.body)
        }
    }

    /// A segment of a path without its percent-encoding; as it is, if that is invalid.
    private static func decoded(_ segment: String) -> String {
        segment.removingPercentEncoding ?? segment
    }

    /// Responds to a call under `path`.
    func answer(_ call: HostCall) async -> (status: UInt16, body: Data) {
        let parts = call.target.dropFirst(Self.path.count).split(separator: "/").map(String.init)
        do {
            switch (call.method, parts.first) {
            case ("GET", "result"): return (200, try JSONEncoder.sorted.encode(result))
            case ("POST", "report"):
                report = try JSONDecoder().decode(TestReport.self, from: Data(call.body))
            case ("POST", "exit"):
                let code = try decode(Exit.self, call).code
                result.exit = result.exit ?? code
            case ("PUT", "scenario"): try play(decode(Change.self, call).scenario)
            case ("PUT", "permissions"): try await decide(decode(Change.self, call))
            case ("PUT", "sensors") where parts.count == 2:
                try await set(parts[1].removingPercentEncoding ?? "", call.body)
            case ("DELETE", "sensors") where parts.count == 2:
                let simulation = try settableSimulation()
                let id = try known(parts[1].removingPercentEncoding ?? "", on: simulation)
                simulation.reset(id)
                try await deliverNewValue(id)
            default: throw Failure("the API of tests has no \(call.method) \(call.target)")
            }
            return (204, Data())
        } catch {
            let problem = ["detail": "\(error)"]
            return (422, (try? JSONEncoder.sorted.encode(problem)) ?? Data())
        }
    }

    private struct Exit: Decodable {
        let code: Int
    }

    private struct Change: Decodable {
        var scenario: String?
        var privilege: String?
        var decision: String?
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    private func decode<T: Decodable>(_ type: T.Type, _ call: HostCall) throws -> T {
        do {
            return try JSONDecoder().decode(type, from: Data(call.body))
        } catch {
            throw Failure("invalid request body")
        }
    }

    // MARK: - Sensors

    private func settableSimulation() throws -> SimulationState {
        guard let simulation else { throw Failure("recorded sensors cannot be set") }
        return simulation
    }

    /// A simulated sensor, or a kind.
    private func known(_ name: String, on simulation: SimulationState) throws -> SensorID {
        guard let id = SensorID(name),
            SimulatedDriver.sensors.contains(id) || simulation.sensors.contains(id)
        else {
            let names = simulation.sensors.map(\.description).joined(separator: ", ")
            throw Failure("no simulated sensor \(name); the sensors are \(names)")
        }
        return id
    }

    private func play(_ name: String?) throws {
        let simulation = try settableSimulation()
        guard let kind = name.flatMap({ Scenario.Kind(rawValue: $0) }) else {
            let names = Scenario.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure("no scenario \(name ?? ""); the scenarios are \(names)")
        }
        simulation.play(kind)
    }

    private func set(_ name: String, _ body: [UInt8]) async throws {
        let simulation = try settableSimulation()
        let id = try known(name, on: simulation)
        let fields = SimulatedDriver.fields(of: id.kind) ?? []
        guard let members = try? StrictJSON().parse(body).object else {
            throw Failure("the body must be an object of fields and values")
        }
        var values: [String: Value] = [:]
        for member in members {
            guard let field = fields.first(where: { $0.name == member.key }) else {
                let names = fields.map(\.name).joined(separator: ", ")
                throw Failure("\(id) has no field \(member.key); it has \(names)")
            }
            guard let value = Value(member.value, for: field.kind) else {
                throw Failure("\(field.name) of \(id) is a \(field.kind.rawValue)")
            }
            values[field.name] = value
        }
        simulation.set(values, of: id)
        try await deliverNewValue(id)
    }

    /// Makes a simulated sensor, or those of a kind, deliver their new values immediately.
    private func deliverNewValue(_ id: SensorID) async throws {
        for sensor in await machine.timedSensors where id.covers(sensor) {
            guard let sample = simulation?.sample(sensor, at: clock.now) else { continue }
            try await machine.play(sample, of: sensor)
        }
    }

    // MARK: - Permissions

    private func decide(_ change: Change) async throws {
        guard let privilege = change.privilege.flatMap({ PrivilegeID($0) }) else {
            throw Failure("\(change.privilege ?? "") is not a privilege; write it like sensor:cpu")
        }
        let decision: Decision
        switch change.decision {
        case "allow": decision = .allowAlways
        case "deny": decision = .deny
        case "stats": decision = .statisticsOnly
        default: throw Failure("the decision must be allow, deny or stats")
        }
        // A lasting decision replaces the one that was made for this run when it was prepared.
        try await authority.decide(decision, on: privilege, by: app.name.text, run: run)
    }
}

/// The connection between an app under test and the API, which serves the calls of the test itself.
struct TestConnection: HostConnection {
    let api: any HostConnection
    let controller: @Sendable () async -> TestController?

    func send(
        _ call: HostCall, receive: @escaping @Sendable (HostAnswerPart) async throws -> Void
    ) async throws {
        guard let controller = await controller() else {
            return try await api.send(call, receive: receive)
        }
        if let call = controller.ownersCall(for: call) {
            return try await api.send(call, receive: receive)
        }
        if call.target.hasPrefix(TestController.path + "/") {
            let (status, body) = await controller.answer(call)
            let type = [("content-type", "application/json")].map { (name: $0.0, value: $0.1) }
            return try await receive(.whole(status: status, headers: type, body: Array(body)))
        }
        await controller.prepare(for: call)
        try await api.send(call) { part in
            switch part {
            case .whole(let status, _, _), .head(let status, _):
                await controller.record(call, status: status)
            case .body, .end: break
            }
            try await receive(part)
        }
    }
}

extension Value {
    /// The JSON value for a field; `nil` if its type does not match.
    init?(_ value: JSONValue, for kind: Field.Kind) {
        switch (kind, value.content) {
        case (.number, .number(let number)): self = .number(number.double)
        case (.integer, .number(let number)):
            guard let integer = number.int64 else { return nil }
            self = .integer(integer)
        case (.state, .string(let text)), (.text, .string(let text)): self = .text(text)
        default: return nil
        }
    }
}
