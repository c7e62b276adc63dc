import Auth
import Ingest
import Samples
import VM

/// Finds the sensor that each line in line protocol is meant for.
struct LineTargets {
    /// The most measurements of one body.
    private static let mostKinds = 64

    private let machine: VirtualMachine
    /// What the client may publish to; `nil` for the owner, who may publish to everything.
    private let writable: [SensorID]?
    private var known: [SensorID: Set<SensorID>] = [:]

    /// - Parameter records: what was decided for the client.
    init(_ client: Client, _ records: [PermissionRecord], machine: VirtualMachine) {
        self.machine = machine
        writable =
            client.kind == .owner
            ? nil
            : records.filter { $0.state == .granted && $0.privilege.access == .write }
                .compactMap(\.privilege.sensor)
    }

    /// The first of the sensors that the point can be of that is there and that the client may publish to,
    /// and otherwise the one that the measurement names.
    ///
    /// A sensor that the client has nothing to do with counts as none, so that nobody learns of it.
    /// It fails with `unknownName` where an identifier cannot hold the measurement, or `tooManySensors`.
    mutating func target(of point: LinePoint) async -> Result<SensorID, DropReason> {
        guard let kind = point.kind else { return .failure(.unknownName) }
        if known[kind] == nil {
            guard known.count < Self.mostKinds else { return .failure(.tooManySensors) }
            let there = await machine.instances(of: kind)
            known[kind] = Set(there.filter(isWritable))
        }
        let choice = known[kind] ?? []
        guard !choice.isEmpty, choice != [kind] else { return .success(kind) }
        return .success(point.sensors.first(where: choice.contains) ?? kind)
    }

    private func isWritable(_ id: SensorID) -> Bool {
        writable?.contains { $0.covers(id) } ?? true
    }
}
