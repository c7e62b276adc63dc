import API
import Text

/// The owner's sessions: workouts, trips and measurements.
struct SessionsTool: Tool {
    private static let limit = 100

    let name = "sessions"
    let title = "Sessions"
    let description = """
        Workouts, trips and measurements, the newest first: when they were active, for how long, and how far they \
        went. Needs permission for sessions.
        """
    let arguments: Schema.Properties = [
        "limit": Schema.integer(1...Self.limit, "How many sessions; 20 if missing.")
    ]
    let result: Schema.Properties = [
        "sessions": Schema.list(
            of: Schema.object(
                [
                    "id": Schema.text(), "name": Schema.text(), "description": Schema.text(),
                    "sensors": Schema.list(of: Schema.text()),
                    "state": Schema.text(oneOf: ["inactive", "active", "paused"]),
                    "finished": Schema.flag(),
                    "created": Schema.milliseconds, "createdTime": Schema.time,
                    "spans": Schema.list(
                        of: Schema.object(
                            ["from": Schema.milliseconds, "to": Schema.milliseconds],
                            required: ["from"]), "When it was active."),
                    "elapsed": Schema.number("Milliseconds in which it was active."),
                    "distance": Schema.number("The length of its route in metres, if entered."),
                ],
                required: [
                    "id", "name", "description", "sensors", "state", "finished", "created",
                    "createdTime", "spans", "elapsed",
                ]))
    ]

    func answer(
        _ arguments: ToolArguments, _ host: HostCalls
    ) async throws -> [(key: String, value: JSONValue)] {
        let limit = try arguments.integer("limit", in: 1...Self.limit, standard: 20)
        let reply = try await host.json { try await $0.sessions(limit: limit) }
        return [("sessions", JSONValue((reply["items"]?.array ?? []).map(Self.session)))]
    }

    private static func session(_ session: JSONValue) -> JSONValue {
        func text(_ name: String) -> String { session[name]?.string ?? "" }
        let sensors = (session["sensors"]?.array ?? []).compactMap(\.string)
        var members: [(key: String, value: JSONValue)] = [
            ("id", UntrustedText.identifier(text("id"))),
            ("name", UntrustedText(text("name")).json),
            ("description", UntrustedText(text("description"), limit: 500).json),
            ("sensors", JSONValue(sensors.map(UntrustedText.identifier))),
            ("state", JSONValue(text("state"))), ("createdTime", Shown.time(session["created"])),
        ]
        members += Shown.members(
            ["finished", "created", "spans", "elapsed", "distance"], of: session)
        return JSONValue(members)
    }
}
