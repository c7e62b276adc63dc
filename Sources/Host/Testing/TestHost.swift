import Auth
import JSApps
import Simulation

/// A host for one run of an app, with what stands in the place of sensors and clock.
struct TestHost: Sendable {
    let services: HostServices
    /// `nil` where sensors were recorded.
    let stage: Stage?
    let clock: VirtualClock
    let box: BenchBox

    /// Grants privileges for a run, but none to call other servers: nobody was asked, and what they answer
    /// is another thing each time.
    func allow(_ privileges: [PrivilegeID], _ app: InstalledApp, run: String) async throws {
        let policy = await services.authority.permissions.policy
        for privilege in privileges
        where privilege.isGrantable && privilege.origin == nil
            && policy.restriction(of: privilege) == nil
        {
            try await services.authority.decide(
                .allowOnce, on: privilege, by: app.name.text, run: run)
        }
    }

    /// Lets a bench take note of a run from now on.
    func bench(of app: Manifest, run: String) -> TestBench {
        let bench = TestBench(
            stage: stage, clock: clock, machine: services.machine, authority: services.authority,
            app: app, run: run)
        box.bench = bench
        return bench
    }
}
