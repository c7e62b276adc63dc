import AppRuns
import Auth
import JSApps
import Samples
import Synchronization
import Testing
import Text

/// A foreground-only grant, with real runs of an app.
@Suite(.timeLimit(.minutes(10)))
struct ForegroundTermTests {
    private static let script = """
        nervous.sensor("gauge").latest()
          .then(() => console.log("allowed"), (error) => console.log(error.problem));
        """

    /// The output of the app in a run that was prepared through the API.
    private static func says(_ host: ServedHost, background: Bool) async throws -> [String] {
        let made = try await host.send(
            Call(
                "POST", "/api/v1/apps/my-app/runs", token: host.owner,
                json: #"{"background": \#(background)}"#))
        let run = try #require(try made.json()["run"]?.string)
        let said = Mutex<[String]>([])
        _ = try await host.supervisor.run(run) { event in
            if case .console(_, let text) = event { said.withLock { $0.append(text) } }
        }
        return said.withLock { $0 }
    }

    @Test func `a run in the background is refused a foreground-only privilege`() async throws {
        try await ServedHost.with { host in
            let bytes = try TestPackage.bytes(script: Self.script, in: host.folder)
            let install = Call("POST", "/api/v1/apps", token: host.owner, body: bytes)
            #expect(try await host.send(install).status == 201)
            await host.gauge(1)
            for (term, answer) in [(false, "not-in-background"), (true, "allowed")] {
                try await host.authority.decide(
                    .allow(Terms(access: .raw, background: term)),
                    on: PrivilegeID.sensor("gauge", .raw), by: "my-app")
                #expect(try await Self.says(host, background: false) == ["allowed"])
                #expect(try await Self.says(host, background: true) == [answer])
            }
        }
    }
}
