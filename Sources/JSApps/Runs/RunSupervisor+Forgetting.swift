import Auth
import Foundation

extension RunSupervisor {
    /// Ended runs that are remembered while this lives.
    private static let remembered = 200
    /// How long a run may stay prepared.
    private static let patience = Duration.seconds(600)

    /// Stops what runs of an app and forgets what ran.
    public func forget(app: String) async {
        for run in reports.values where run.app == app {
            _ = try? await stop(run.id)
            reports[run.id] = nil
            lines[run.id] = nil
        }
        order.removeAll { reports[$0] == nil }
        history.forget(app)
    }

    /// Forgets what was prepared long ago and never started, with what was allowed for it.
    func forgetUnstarted() async {
        let limit = TimeInterval(Self.patience.components.seconds)
        let stale = reports.values.filter {
            $0.state == .prepared && work[$0.id] == nil
                && now().timeIntervalSince($0.started) > limit
        }
        for run in stale {
            reports[run.id] = nil
            tokens[run.id] = nil
            identities[run.id] = nil
        }
        order.removeAll { reports[$0] == nil }
        for run in stale { try? await authority.endRun(run.id) }
    }

    func forgetOldest() {
        guard order.count > Self.remembered,
            let index = order.firstIndex(where: { reports[$0]?.state == .ended })
        else { return }
        let oldest = order.remove(at: index)
        reports[oldest] = nil
        lines[oldest] = nil
    }
}
