import Logging
import SampleStore
public import Samples
import Scheduling

/// Keeps the store within the rules and the budget that the owner sets.
///
/// ```swift
/// try await machine.retention.setRule(RetentionRule(raw: .seconds(86_400)), for: "cpu")
/// let report = try await machine.retention.report()
/// ```
public actor Retention {
    /// The interval at which the rules are applied; an exceeded budget is enforced at once.
    private static let maintenanceInterval = Duration.seconds(60)

    private let store: SampleStore
    private let time: any TimeSource
    private let logger: Logger
    /// The maintenance that is running.
    private var maintenance: Task<Void, Never>?
    /// When maintenance began last.
    private var lastMaintenance: Timestamp

    init(_ store: SampleStore, time: any TimeSource, logger: Logger) {
        self.store = store
        self.time = time
        self.logger = logger
        lastMaintenance = time.now()
    }

    /// The smallest budget, in bytes.
    public static var leastBudget: Int64 { StoreMaintenance.leastBudget }

    /// The bytes that the samples take and may take, in all and for each sensor.
    ///
    /// - Throws: `storeFailed`.
    public func report() async throws(VirtualMachineError) -> StorageReport {
        do {
            return try await store.maintenance.report(at: time.now())
        } catch {
            throw VirtualMachineError(error)
        }
    }

    /// Sets a retention rule; samples beyond it are pruned in the background.
    ///
    /// - Parameters:
    ///   - rule: `nil` removes the sensor's own rule.
    ///   - id: a sensor or a kind, known or not; `nil` for all sensors without a rule of their own.
    /// - Throws: `storeFailed`, `diskFull`.
    public func setRule(_ rule: RetentionRule?, for id: SensorID?) async throws(VirtualMachineError)
    {
        do {
            try await store.maintenance.setRule(rule, for: id)
        } catch {
            throw VirtualMachineError(error)
        }
        await maintainSoon()
    }

    /// Sets the budget of the store; samples beyond it are pruned in the background.
    ///
    /// - Parameter budget: in bytes on disk.
    /// - Throws: `storeFailed` below ``leastBudget``.
    public func setBudget(_ budget: Int64) async throws(VirtualMachineError) {
        do {
            try await store.maintenance.setBudget(budget)
        } catch {
            throw VirtualMachineError(error)
        }
        await maintainSoon()
    }

    /// Deletes and overwrites the samples of a sensor in a range; see the receipt.
    ///
    /// - Parameter client: the client whose idempotency keys are removed when no sample of their
    ///   batch is left.
    /// - Throws: `unknownSensor` when no sample of this sensor was ever stored.
    public func forget(
        _ id: SensorID, _ range: TimeRange, releasingKeysOf client: String? = nil
    ) async throws(VirtualMachineError) -> ForgetReceipt {
        do {
            return try await store.forget(
                id, range, at: time.now(), releasingKeysOf: client)
        } catch {
            guard error.code == .invalid else { throw VirtualMachineError(error) }
            throw VirtualMachineError(
                .unknownSensor, error.message, hint: "List them with: nervous storage")
        }
    }

    /// Whether maintenance is due and not running.
    var isDue: Bool {
        let now = time.now()
        let next = lastMaintenance.advanced(
            byMicroseconds: Self.maintenanceInterval.wholeMicroseconds)
        // A clock that was set back must not delay maintenance.
        return maintenance == nil && (now >= next || now < lastMaintenance)
    }

    /// Whether a rule deletes samples that are younger than this.
    func canPrune(within age: Duration) async -> Bool {
        let rules = await store.maintenance.retentionRules
        return ([rules.standard] + rules.bySensor.values).contains { rule in
            rule.raw.map { $0 < age } ?? false
        }
    }

    /// Begins maintenance when it is due.
    func maintainIfDue() {
        guard isDue else { return }
        let now = time.now()
        lastMaintenance = now
        maintenance = Task {
            do throws(SampleStoreError) {
                try await store.maintenance.run(at: now)
            } catch {
                logger.error("\(error.message)")
            }
            maintenance = nil
        }
    }

    /// Returns when no maintenance is running.
    func finish() async {
        await maintenance?.value
    }

    /// Runs maintenance with the rules that are set now, once maintenance that is running has
    /// ended.
    private func maintainSoon() async {
        await maintenance?.value
        lastMaintenance = .distantPast
        maintainIfDue()
    }
}
