import Auth
import JSApps
import Samples
import Testing
import Text

/// `nervous.permissions`, settings, signals and errors in real runs of apps.
@Suite(.timeLimit(.minutes(10)))
struct PermissionScriptTests {
    @Test
    func `an app is notified of permission changes, and its run ends when it stops listening`()
        async throws
    {
        try await ServedHost.with { host in
            let lines = try await host.play(
                """
                (async () => {
                  const status = await nervous.permissions.query({ name: "gauge" });
                  say(status, status instanceof EventTarget);
                  const states = [];
                  status.onchange = function (event) {
                    say(event.type, this.state);
                    if (this.state === "granted") deny("sensor:gauge");
                    if (this.state === "denied") status.onchange = null;
                  };
                  status.addEventListener("change", () => say("once"), { once: true });
                  status.addEventListener("change", () => say("never"), { signal: AbortSignal.abort() });
                  allow("sensor:gauge");
                })();
                """)
            #expect(
                lines == [
                    #"{"name":"gauge","state":"prompt"} true"#, "change granted", "once",
                    "change denied",
                ])
        }
    }

    @Test(arguments: [
        (["sensor:gauge": Decision.allowAlways], ["granted", "granted", "denied"]),
        (["sensor:gauge": .statisticsOnly], ["denied", "granted", "denied"]),
        (["sensor:gauge": .deny], ["denied", "prompt", "denied"]),
        (["sensor:gauge:stats": .deny], ["denied", "denied", "denied"]),
        (
            [
                "sensor:gauge": .allow(
                    Terms(access: .raw, expires: Timestamp(microseconds: 1)))
            ], ["prompt", "prompt", "denied"]
        ),
        ([:], ["prompt", "prompt", "denied"]),
    ])
    func `a privilege has the names and states of the W3C`(
        decisions: [String: Decision], states: [String]
    ) async throws {
        try await ServedHost.with { host in
            let lines = try await host.play(
                """
                (async () => {
                  const asked = [
                    { name: "gauge" }, { name: "gauge", access: "stats" },
                    { name: "quiet", access: "raw" },
                  ];
                  for (const each of asked) say((await nervous.permissions.query(each)).state);
                })();
                """, decisions: decisions.merging(["sensor:quiet": .deny]) { own, _ in own })
            #expect(lines == states)
        }
    }

    @Test func `every call can be aborted, with the reason of its signal`() async throws {
        try await ServedHost.with { host in
            let lines = try await host.play(
                """
                (async () => {
                  const gauge = nervous.sensor("gauge");
                  const { permissions } = nervous;
                  const calls = {
                    sensors: (signal) => nervous.sensors({ signal }),
                    describe: (signal) => gauge.describe({ signal }),
                    latest: (signal) => gauge.latest({ signal }),
                    samples: (signal) => gauge.samples({ signal }),
                    stats: (signal) => gauge.stats({ signal }),
                    publish: (signal) => gauge.publish({ level: 1 }, { signal }),
                    analyze: (signal) => nervous.analyze("trend", "gauge.level", { signal }),
                    query: (signal) => permissions.query({ name: "gauge", signal }),
                    request: (signal) => permissions.request({ name: "gauge", signal }),
                    list: (signal) => permissions.list({ signal }),
                  };
                  for (const [name, call] of Object.entries(calls)) {
                    await call(AbortSignal.abort()).catch((error) => say(name, error.name));
                    await call(AbortSignal.abort("why")).catch((reason) => say(name, reason));
                  }
                  // Without a decision the call waits until it is aborted.
                  await calls.request(AbortSignal.timeout(50)).catch((error) => say(error.name));
                  const ending = new AbortController();
                  allow("sensor:gauge");
                  for await (const sample of gauge.stream({ signal: ending.signal,
                    onOpen: () => ending.abort() })) say(sample);
                  say("quiet");
                })();
                """)
            let names = [
                "sensors", "describe", "latest", "samples", "stats", "publish", "analyze",
                "query", "request", "list",
            ]
            #expect(
                lines == names.flatMap { ["\($0) AbortError", "\($0) why"] }
                    + ["TimeoutError", "quiet"])
        }
    }

    @Test func `each refusal has its W3C error name`() async throws {
        try await ServedHost.with { host in
            await host.gauge(1)
            let lines = try await host.play(
                """
                (async () => {
                  const report = async (call) => {
                    const error = await call().then(() => "nothing", (error) => error);
                    say(error.name, error.problem, error instanceof DOMException, error.privilege);
                  };
                  const gauge = nervous.sensor("gauge");
                  await report(() => gauge.latest());
                  await report(() => nervous.sensor("quiet").latest());
                  await report(() => nervous.permissions.request({ name: "quiet" }));
                  allow("sensor:quiet");
                  await report(() => nervous.sensor("quiet").latest());
                  allow("sensor:battery");
                  await report(() => nervous.sensor("battery").latest());
                  allow("sensor:none");
                  await report(() => nervous.sensor("none").latest());
                  allow("sensor:gauge");
                  await report(() => gauge.samples({ fields: "none" }));
                  await report(() => gauge.stats({ last: "x" }));
                  const where = "x".repeat(300_000);
                  await report(() => nervous.analyze("trend", "gauge.level", { where }));
                })();
                """)
            #expect(
                lines == [
                    "NotAllowedError undecided true sensor:gauge",
                    "NotAllowedError undeclared true sensor:quiet",
                    "NotAllowedError undeclared true sensor:quiet",
                    "NotFoundError no-samples true undefined",
                    "NotReadableError sensor-unavailable true undefined",
                    "NotFoundError unknown-sensor true undefined",
                    "DataError unknown-field true undefined",
                    "DataError invalid-parameter true undefined",
                    "QuotaExceededError too-large true undefined",
                ])
        }
    }

    @Test func `a refused app shows how to change the permission`() async throws {
        try await ServedHost.with { host in
            let lines = try await host.play("say(nervous.openSettings());", as: "shy-app")
            #expect(
                lines == [
                    "Change what this app may do with: nervous permissions shy-app",
                    #"{"command":"nervous permissions shy-app","url":null}"#,
                ])
        }
    }

    @Test func `a refusal links to the dashboard's page about its app, for this app only`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            func refused(_ host: ServedHost, _ token: String, at name: String?) async throws
                -> Answer
            {
                try await host.send(
                    Call(
                        "GET", "/api/v1/sensors/gauge/latest", token: token,
                        host: name.map { "\($0):\(host.port)" }))
            }
            let token = try await host.begin().token
            let answer = try await refused(host, token, at: "my-app.localhost")
            let link = try #require(try answer.json()["settings"]?.string)
            #expect(link == "http://localhost:\(host.port)/apps/my-app")
            #expect(
                try answer.json()["fix"]?.string == "Ask the owner to allow sensor:gauge.")
            let page = try await host.send(
                Call("GET", "/apps/my-app", headers: [("Accept", "text/html")]))
            #expect(page.status == 200)
            let client = try await refused(host, host.client(), at: nil)
            #expect(client.status == 403)
            #expect(try client.json()["settings"] == nil)
        }
    }
}
