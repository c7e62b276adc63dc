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
            return try await store.maintenance.report(at: time.now())
        } catch {
            throw Self.wrap(error)
        }
    }

    /// Keeps a rule from now on; what it lets go of is removed in the background.
    ///
    /// - Parameters:
    ///   - rule: `nil` takes the sensor's own away.
    ///   - id: a sensor or a kind, known or not; `nil` for all that have no rule of their own.
    public func keep(_ rule: RetentionRule?, for id: SensorID?) async throws(VirtualMachineError) {
        do {
            try await store.maintenance.keep(rule, for: id)
            await maintainSoon()
        } catch {
            throw Self.wrap(error)
        }
    }

    /// Keeps the bytes that the samples may take on disk; what is beyond is removed in the
    /// background.
    ///
    /// - Throws: `storeFailed` below `leastBudget`.
    public func keep(budget: Int64) async throws(VirtualMachineError) {
        do {
            try await store.maintenance.keep(budget: budget)
            await maintainSoon()
        } catch {
            throw Self.wrap(error)
        }
    }

    /// The smallest budget.
    public static var leastBudget: Int64 { StoreMaintenance.leastBudget }

    /// The last arrival of a sample of the sensor that is gone; 0 while all are there.
    public func prunedThrough(_ id: SensorID) async -> Int64 {
        await store.prunedThrough(id)
    }

    /// Removes every trace of what a sensor measured in a range; see the receipt.
    ///
    /// - Throws: `unknownSensor` when nothing was ever kept of it.
    public func forget(
        _ id: SensorID, _ range: TimeRange
    ) async throws(VirtualMachineError) -> ForgetReceipt {
        do {
            return try await store.forget(id, range, at: time.now())
        } catch {
            guard error.code == .invalid else { throw Self.wrap(error) }
            throw VirtualMachineError(
                .unknownSensor, error.message, hint: "List them with: nervous storage")
        }
    }

    /// The same work with the rules of now, after the one that goes on.
    private func maintainSoon() async {
        await maintenance?.value
        lastMaintenance = .distantPast
        maintainIfDue()
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
            do throws(SampleStoreError) {
                try await store.maintenance.run(at: now)
            } catch {
                report(error)
            }
            maintenance = nil
        }
    }
}
