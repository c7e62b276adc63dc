import Logging
import Samples
import Scheduling

/// Makes the deliveries that wait, and retries calls of servers with growing intervals.
///
/// The deliveries of one kind of a rule are made one after the other, the oldest first, so that a server
/// never receives that a rule has resolved before it received that it has fired.
actor AlertDispatcher {
    /// How often it looks for deliveries that are due.
    private static let interval = Duration.seconds(5)
    /// The maximum number of deliveries at a time.
    private static let width = 8

    /// Deliveries that are made one after the other.
    private struct Lane: Hashable {
        let rule: String
        let kind: AlertDelivery.Kind
    }

    private let database: AlertDatabase
    private let channels: any AlertChannels
    private let time: any TimeSource
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let changes: ChangeSignal
    private var busy: Set<Lane> = []
    /// Whether there can be deliveries that wait; an idle host does not look for them in the file.
    private var canHaveWaiting = true

    /// - Parameters:
    ///   - jitter: a random number from 0 to 1.
    ///   - changes: signalled when a delivery was made or has failed.
    init(
        _ database: AlertDatabase, _ channels: any AlertChannels, time: any TimeSource,
        jitter: @escaping @Sendable () -> Double, logger: Logger, changes: ChangeSignal
    ) {
        (self.database, self.channels, self.time) = (database, channels, time)
        (self.jitter, self.logger, self.changes) = (jitter, logger, changes)
    }

    /// Makes deliveries when they are due, until cancelled.
    ///
    /// - Parameter signals: yields when there are new ones.
    func run(on signals: AsyncStream<Void>) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in signals { await self.deliver(isNew: true) }
            }
            // A slow server does not delay other rules: the two tasks take different lanes.
            group.addTask {
                repeat {
                    await self.deliver()
                } while (try? await self.time.sleep(for: Self.interval)) != nil
            }
        }
    }

    /// Makes all deliveries that are due.
    ///
    /// - Parameter isNew: whether there are new ones.
    func deliver(isNew: Bool = false) async {
        canHaveWaiting = canHaveWaiting || isNew
        guard canHaveWaiting else { return }
        await withDiscardingTaskGroup { group in
            for lane in await dueLanes().prefix(Self.width) {
                busy.insert(lane)
                group.addTask { await self.clear(lane) }
            }
        }
    }

    // MARK: - Private

    private func dueLanes() async -> [Lane] {
        var lanes: [Lane] = []
        var seen: Set<Lane> = []
        let now = time.now()
        for delivery in await waiting() {
            let lane = Lane(rule: delivery.rule, kind: delivery.kind)
            // Only the oldest of a lane decides.
            guard seen.insert(lane).inserted, delivery.isDue(at: now), !busy.contains(lane)
            else { continue }
            lanes.append(lane)
        }
        return lanes
    }

    /// The deliveries that wait; none while the file cannot be read.
    private func waiting() async -> [AlertDelivery] {
        do throws(AlertsError) {
            let found = try await database.waiting()
            canHaveWaiting = !found.isEmpty
            return found
        } catch {
            logger.error("\(error.message)")
            return []
        }
    }

    /// Makes the deliveries of a lane until one has to wait.
    private func clear(_ lane: Lane) async {
        defer { busy.remove(lane) }
        while !Task.isCancelled {
            let oldest = await waiting().first { $0.rule == lane.rule && $0.kind == lane.kind }
            guard let oldest, oldest.isDue(at: time.now()) else { return }
            do throws(AlertsError) {
                try await make(oldest)
            } catch {
                // Without a note in the file it must not be made again at once.
                logger.error("\(error.message)", metadata: ["rule": "\(lane.rule)"])
                return
            }
            changes.send()
        }
    }

    /// - Throws: `AlertsError` when it could not be noted that it is made, or how it ended.
    private func make(_ waiting: AlertDelivery) async throws(AlertsError) {
        var delivery = waiting
        if delivery.kind != .webhook {
            // So that another process does not make it again.
            (delivery.state, delivery.next) = (.started, nil)
            try await database.save(delivery)
        }
        do throws(AlertDeliveryError) {
            try await perform(delivery)
            delivery.attempts += 1
            (delivery.state, delivery.next, delivery.problem) = (.done, nil, nil)
        } catch {
            // The host stops, which is not a failure of the server.
            if delivery.kind == .webhook, Task.isCancelled { return }
            delivery.fail(error, at: time.now(), jitter: jitter())
            logger.warning(
                "alert not delivered: \(error.message)",
                metadata: ["rule": "\(delivery.rule)", "action": "\(delivery.kind.rawValue)"])
        }
        try await database.save(delivery)
    }

    private func perform(_ delivery: AlertDelivery) async throws(AlertDeliveryError) {
        switch delivery.kind {
        case .notify:
            guard let notice = AlertNotice(payload: delivery.payload) else {
                throw AlertDeliveryError("The notice cannot be read.", isPermanent: true)
            }
            await channels.notify(notice)
        case .run: try await channels.run(app: delivery.payload)
        case .webhook: try await call(delivery)
        }
    }

    private func call(_ delivery: AlertDelivery) async throws(AlertDeliveryError) {
        let action: AlertRule.Action?
        do throws(AlertsError) {
            action = try await database.webhook(of: delivery.rule)
        } catch {
            throw AlertDeliveryError(error.message, isPermanent: false)
        }
        guard case .webhook(let address, let tokenFile) = action else {
            throw AlertDeliveryError("The rule has no webhook any more.", isPermanent: true)
        }
        try await channels.call(
            address, tokenFile: tokenFile, body: Array(delivery.payload.utf8), id: delivery.id)
    }
}
