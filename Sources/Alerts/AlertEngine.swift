public import Logging
public import Samples
public import Scheduling

/// Stores rules, evaluates them, and makes the deliveries of those that fire or resolve.
///
/// Its file has the state of each rule and the deliveries that wait; both are written in one transaction, so
/// that a restart loses no state and repeats no message. Evaluations since the last one in the file are
/// made up for after a restart.
///
/// ```swift
/// let engine = await AlertEngine(path: path, source: source, channels: channels)
/// _ = try await engine.put(AlertRule("busy", definition), replacing: false)
/// await engine.run()
/// ```
public actor AlertEngine {
    /// A rule with its state.
    public struct Status: Sendable {
        /// The rule.
        public let rule: AlertRule
        /// Whether it is evaluated.
        public let isEnabled: Bool
        /// When it was created.
        public let created: Timestamp
        /// The state.
        public let state: AlertState
        /// The unit of its measure, a UCUM code; `nil` when it has none or is not known.
        public let unit: String?
        /// How many deliveries wait.
        public let waiting: Int
        /// Why a delivery that waits, or one of the last event, has failed.
        public let problem: String?
    }

    /// A change of a rule's state, with its deliveries.
    public struct Event: Sendable {
        /// Increases with each event.
        public let id: Int64
        /// When it was evaluated.
        public let time: Timestamp
        /// What has changed.
        public let kind: AlertState.Transition.Kind
        /// The measure.
        public let value: Double?
        /// Whether the actions were omitted.
        public let isMuted: Bool
        /// The actions.
        public let deliveries: [AlertDelivery]
    }

    private struct Entry {
        var evaluator: RuleEvaluator
        var isEnabled: Bool
        let created: Timestamp
        let revision: Int64
        /// The state in the file.
        var saved: AlertState
        var isFailing = false

        var rule: AlertRule { evaluator.rule }
    }

    /// The maximum number of rules.
    public static let ruleLimit = 500
    private static let tick = Duration.microseconds(AlertRule.shortestStep)
    private static let checkpointInterval = Duration.seconds(60)
    /// A sleep that lasts this much longer than it should means that the machine slept.
    private static let pauseLimit = Duration.seconds(30)
    /// How far the wall clock may differ from the monotonic one before it counts as set.
    private static let jumpLimit = Duration.seconds(2)

    /// Reports changes of rules, states and deliveries.
    public nonisolated let changes = ChangeSignal()
    /// Why there are no rules; `nil` while they can be used.
    public nonisolated let fault: AlertsError?
    /// `nil` when the file cannot be used.
    private let stored: AlertDatabase?
    private let source: any AlertSource
    private let dispatcher: AlertDispatcher?
    private let newDeliveries = ChangeSignal()
    private let time: any TimeSource
    private let logger: Logger
    private var entries: [String: Entry] = [:]
    private var checkpoint: ContinuousClock.Instant

    /// The names of the migrations that this version knows, in order.
    public static var migrations: [String] { AlertDatabase.migrations }

    /// Opens the file at a path, or creates it.
    ///
    /// A file that cannot be used is not an error: see ``fault``, which all calls then throw.
    ///
    /// - Parameter jitter: a random number from 0 to 1, which spreads the attempts of deliveries.
    public init(
        path: String, source: any AlertSource, channels: any AlertChannels,
        time: any TimeSource = .system,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        logger: Logger = Logger(label: "nervous.alerts")
    ) async {
        (self.source, self.time, self.logger) = (source, time, logger)
        checkpoint = time.instant()
        let database: AlertDatabase
        let found: (rules: [AlertDatabase.StoredRule], unreadable: [String])
        do throws(AlertsError) {
            database = try AlertDatabase(path: path)
            found = try await database.rules()
        } catch {
            (fault, stored, dispatcher) = (error, nil, nil)
            return
        }
        (fault, stored) = (nil, database)
        dispatcher = AlertDispatcher(
            database, channels, time: time, jitter: jitter, logger: logger, changes: changes)
        for stored in found.rules {
            entries[stored.rule.name] = Entry(
                evaluator: RuleEvaluator(stored.rule, stored.state, listeningSince: time.now()),
                isEnabled: stored.isEnabled, created: stored.created, revision: stored.revision,
                saved: stored.state)
        }
        for name in found.unreadable {
            logger.error("an alert rule cannot be read", metadata: ["rule": "\(name)"])
        }
    }

    // MARK: - Rules

    /// All rules, by name.
    ///
    /// - Throws: `storeFailed`.
    public func statuses() async throws(AlertsError) -> [Status] {
        let problems = try await database.problems()
        var found: [Status] = []
        for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
            found.append(await status(entry, problems[name]))
        }
        return found
    }

    /// A rule.
    ///
    /// - Throws: `notFound`, `storeFailed`.
    public func status(of name: String) async throws(AlertsError) -> Status {
        let problems = try await database.problems()
        return await status(try entry(name), problems[name])
    }

    /// Adds a rule, or replaces the definition of one, whose state is then reset.
    ///
    /// - Returns: whether it is new.
    /// - Throws: `nameTaken` if it exists and is not replaced; `full`, `diskFull`, `storeFailed`.
    public func put(
        _ rule: AlertRule, replacing isReplaced: Bool
    ) async throws(AlertsError) -> Bool {
        _ = try database
        let earlier = entries[rule.name]
        guard earlier == nil || isReplaced else {
            throw AlertsError(
                .nameTaken, "An alert rule named \(rule.name) already exists.",
                hint: "Choose another name, or replace it with: nervous alerts add --replace")
        }
        guard earlier != nil || entries.count < Self.ruleLimit else {
            throw AlertsError(
                .full, "There are \(Self.ruleLimit) alert rules, which is the limit.",
                hint: "Remove one with: nervous alerts remove NAME")
        }
        try await store(
            rule, isEnabled: earlier?.isEnabled ?? true, created: earlier?.created ?? time.now())
        return earlier == nil
    }

    /// Starts or stops the evaluation of a rule, whose state is then reset.
    ///
    /// - Throws: `notFound`, `diskFull`, `storeFailed`.
    public func setEnabled(_ isEnabled: Bool, _ name: String) async throws(AlertsError) {
        let entry = try entry(name)
        guard entry.isEnabled != isEnabled else { return }
        try await store(entry.rule, isEnabled: isEnabled, created: entry.created)
    }

    /// Removes a rule with its events and deliveries.
    ///
    /// - Throws: `notFound`, `storeFailed`.
    public func remove(_ name: String) async throws(AlertsError) {
        _ = try entry(name)
        try await database.remove(name)
        entries[name] = nil
        changes.send()
    }

    /// The events of a rule, the newest first.
    ///
    /// - Parameter id: the last event of the previous page.
    /// - Throws: `notFound`, `storeFailed`.
    public func events(
        of name: String, before id: Int64? = nil, limit: Int
    ) async throws(AlertsError) -> [Event] {
        _ = try entry(name)
        return try await database.events(of: name, before: id, limit: limit).map {
            Event(
                id: $0.id, time: $0.time, kind: $0.kind, value: $0.value, isMuted: $0.isMuted,
                deliveries: $0.deliveries)
        }
    }

    /// Makes the calls of a rule that wait or have failed due now.
    ///
    /// - Returns: their number.
    /// - Throws: `notFound`, `storeFailed`.
    public func retry(_ name: String) async throws(AlertsError) -> Int {
        _ = try entry(name)
        let count = try await database.retry(name, at: time.now())
        newDeliveries.send()
        return count
    }

    // MARK: - Evaluation

    /// Evaluates rules and makes deliveries until cancelled.
    public func run() async {
        let now = time.now()
        for (name, entry) in entries {
            entries[name]?.evaluator = RuleEvaluator(entry.rule, entry.saved, listeningSince: now)
        }
        let signals = newDeliveries.watch()
        await withDiscardingTaskGroup { group in
            if let dispatcher { group.addTask { await dispatcher.run(on: signals) } }
            group.addTask { await self.evaluateRepeatedly() }
        }
        await saveStates()
        await source.finish()
    }

    private func evaluateRepeatedly() async {
        repeat {
            await evaluate()
            if time.instant() - checkpoint >= Self.checkpointInterval {
                checkpoint = time.instant()
                await saveStates()
            }
        } while await sleep()
    }

    /// Sleeps until the next tick.
    ///
    /// - Returns: `false` when the task was cancelled.
    private func sleep() async -> Bool {
        let (wall, instant) = (time.now(), time.instant())
        guard (try? await time.sleepToNextTick(every: Self.tick)) != nil else { return false }
        let slept = time.instant() - instant
        let passed = Duration.microseconds(time.now().microseconds - wall.microseconds)
        let jump = passed - slept
        if slept > Self.tick * 2 + Self.pauseLimit || jump > Self.jumpLimit
            || jump < .zero - Self.jumpLimit
        {
            let now = time.now()
            for name in entries.keys { entries[name]?.evaluator.listenAgain(at: now) }
        }
        return true
    }

    /// Makes the deliveries that are due.
    func deliver() async { await dispatcher?.deliver(isNew: true) }

    /// Evaluates all rules that are due.
    func evaluate() async {
        let now = time.now()
        for name in entries.keys.sorted() {
            guard !Task.isCancelled else { return }
            await evaluate(name, at: now)
        }
    }

    private func evaluate(_ name: String, at now: Timestamp) async {
        guard let entry = entries[name], entry.isEnabled, entry.evaluator.isDue(at: now) else {
            return
        }
        var evaluator = entry.evaluator
        do throws(AlertsError) {
            let steps = try await evaluator.advance(through: now, reading: source)
            let transitions = steps.compactMap(\.transition)
            if !transitions.isEmpty {
                let unit = await unit(of: entry.rule)
                let messages = transitions.map { AlertMessage($0, of: entry.rule, unit: unit) }
                // The new state is used only if it is in the file.
                try await database.record(
                    transitions, messages, of: name, revision: entry.revision,
                    state: evaluator.state, at: now)
                newDeliveries.send()
            }
            guard entries[name]?.revision == entry.revision else { return }
            let before = entry.evaluator.state
            if before.phase != evaluator.state.phase || before.missing != evaluator.state.missing {
                changes.send()
            }
            entries[name]?.evaluator = evaluator
            if !transitions.isEmpty { entries[name]?.saved = evaluator.state }
            entries[name]?.isFailing = false
        } catch {
            // Made up for when it works again.
            guard !Task.isCancelled, entries[name]?.isFailing == false else { return }
            entries[name]?.isFailing = true
            logger.error(
                "an alert rule cannot be evaluated: \(error.message)",
                metadata: ["rule": "\(name)"])
        }
    }

    /// Writes the states that have changed, so that a restart makes up for fewer evaluations.
    private func saveStates() async {
        var states: [Int64: AlertState] = [:]
        for entry in entries.values where entry.evaluator.state != entry.saved {
            states[entry.revision] = entry.evaluator.state
        }
        guard !states.isEmpty else { return }
        do throws(AlertsError) {
            try await database.save(states)
            for (name, entry) in entries {
                if let state = states[entry.revision] { entries[name]?.saved = state }
            }
        } catch {
            logger.error("\(error.message)")
        }
    }

    // MARK: - Private

    /// - Throws: ``fault``.
    private var database: AlertDatabase {
        get throws(AlertsError) {
            guard let stored else {
                throw fault ?? AlertsError(.storeFailed, "The alert rules are unavailable.")
            }
            return stored
        }
    }

    private func entry(_ name: String) throws(AlertsError) -> Entry {
        _ = try database
        guard let entry = entries[name] else { throw .missing(name) }
        return entry
    }

    private func store(
        _ rule: AlertRule, isEnabled: Bool, created: Timestamp
    ) async throws(AlertsError) {
        let now = time.now()
        let state = AlertState(since: now)
        let revision = Int64.random(in: 1 ... .max)
        try await database.put(
            AlertDatabase.StoredRule(
                rule: rule, isEnabled: isEnabled, created: created, revision: revision,
                state: state))
        entries[rule.name] = Entry(
            evaluator: RuleEvaluator(rule, state, listeningSince: now), isEnabled: isEnabled,
            created: created, revision: revision, saved: state)
        changes.send()
    }

    private func unit(of rule: AlertRule) async -> String? {
        switch rule.measure {
        case .anomaly: return nil
        case .silence: return "s"
        case .statistic:
            guard case .readable(let unit) = await source.input(of: rule) else { return nil }
            return unit
        }
    }

    private func status(
        _ entry: Entry, _ problems: (waiting: Int, problem: String?)?
    ) async -> Status {
        Status(
            rule: entry.rule, isEnabled: entry.isEnabled, created: entry.created,
            state: entry.evaluator.state, unit: await unit(of: entry.rule),
            waiting: problems?.waiting ?? 0, problem: problems?.problem)
    }
}
