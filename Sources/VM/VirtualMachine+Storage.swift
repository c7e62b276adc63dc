import SampleStore
public import Samples

extension VirtualMachine {
    /// Between two times that samples are removed by the rules of their sensors.
    ///
    /// What breaks the budget is removed at once.
    static let maintenanceInterval = Duration.seconds(60)

    /// What the samples take, what they may take, and what each sensor has of it.
    public func storage() async throws(VirtualMachineError) -> StorageReport {
        do {
            return try await store.storage(at: time.now())
        } catch {
            throw Self.wrap(error)
        }
    }

    /// Keeps a rule from now on, and removes what it lets go of.
    ///
    /// - Parameters:
    ///   - rule: `nil` takes the sensor's own away.
    ///   - id: a sensor or a kind, known or not; `nil` for all that have no rule of their own.
    public func keep(_ rule: RetentionRule?, for id: SensorID?) async throws(VirtualMachineError) {
        do {
            try await store.keep(rule, for: id)
            try await store.maintain(at: time.now())
        } catch {
            throw Self.wrap(error)
        }
    }

    /// Keeps the bytes that the samples may take on disk, and removes what is beyond.
    ///
    /// - Throws: `storeFailed` below `leastBudget`.
    public func keep(budget: Int64) async throws(VirtualMachineError) {
        do {
            try await store.keep(budget: budget)
            try await store.maintain(at: time.now())
        } catch {
            throw Self.wrap(error)
        }
    }

    /// The smallest budget.
    public static var leastBudget: Int64 { SampleStore.leastBudget }

    /// The last arrival of a sample of the sensor that is gone; 0 while all are there.
    public func purgedThrough(_ id: SensorID) async -> Int64 {
        await store.purgedThrough(id)
    }

    /// Removes what the rules let go of, once a minute and beside the writing of samples.
    func maintainIfDue() {
        let now = time.now()
        let next = lastMaintenance.advanced(
            byMicroseconds: Self.maintenanceInterval.wholeMicroseconds)
        // A clock that was set back is no reason to wait.
        guard maintenance == nil, now >= next || now < lastMaintenance else { return }
        lastMaintenance = now
        maintenance = Task {
            do {
                try await store.maintain(at: now)
            } catch {
                report(error)
            }
            maintenance = nil
        }
    }
}
