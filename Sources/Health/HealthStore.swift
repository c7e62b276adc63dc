import Databases
import Foundation
import GRDB
public import Samples
import Text

/// The health store: characteristics, samples, workouts and correlations in one sealed SQLite file.
///
/// It knows views, not permissions: who calls it decides which ``HealthView`` a client has. Everything
/// that one call saves is saved in one transaction, and is durable when the call returns.
///
/// ```swift
/// let store = try HealthStore(path: "health.sqlite", key: HealthKeyPlace(path: "health.key"))
/// let run = HealthGroupDraft(
///     .workout(.running, start: start, end: end, active: nil),
///     samples: [HealthSampleDraft(steps, .number(6100))])
/// let saved = try await store.save(run, by: source)
/// ```
public struct HealthStore: Sendable {
    /// The maximum number of objects of one app or program.
    public static let objectLimit = 1_000_000

    private let opened: Result<HealthDatabase, HealthError>
    private let limit: Int
    private let now: @Sendable () -> Timestamp

    /// Opens the file at `path`, or creates it and its key.
    ///
    /// A damaged file, or a missing key, does not throw: then every call throws ``fault``.
    ///
    /// - Parameter limit: the maximum number of objects of one app or program.
    /// - Throws: `unsafeFile`, `diskFull`, `storeFailed`.
    public init(
        path: String, key: HealthKeyPlace, limit: Int = HealthStore.objectLimit,
        now: @escaping @Sendable () -> Timestamp = { .now() }
    ) throws(HealthError) {
        self.now = now
        self.limit = limit
        do {
            opened = .success(try HealthDatabase(path: path, key: key))
        } catch {
            let failure = HealthError(wrapping: error)
            guard failure.code == .damaged else { throw failure }
            opened = .failure(failure)
        }
    }

    /// Why the store cannot be used; `nil` when it can.
    public var fault: HealthError? {
        if case .failure(let error) = opened { error } else { nil }
    }

    /// The names of the migrations that this version knows, in order.
    public static var migrations: [String] { HealthDatabase.migrator.migrations }

    // MARK: - Saving

    /// Saves samples, all or none.
    ///
    /// A sample whose key the source has used for the same content is not saved again.
    ///
    /// - Parameter source: who saves them; `nil` for the owner.
    /// - Returns: the stored samples, in order.
    /// - Throws: `invalid`, `unitMismatch`, `keyReused`, `full`, `diskFull`.
    public func save(
        _ drafts: [HealthSampleDraft], by source: HealthSource?
    ) async throws(HealthError) -> [HealthObject] {
        let check = HealthDraftCheck(now: now())
        guard drafts.count <= HealthGroupDraft.sampleLimit else {
            throw HealthError(
                .invalid, "At most \(HealthGroupDraft.sampleLimit) samples are saved together.")
        }
        var checked: [HealthDraftCheck.Checked] = []
        for draft in drafts { checked.append(try check.check(draft)) }
        return try await write { [checked] store, database in
            var count = try store.count(of: source, database)
            return try checked.map { draft in
                if let known = try Self.known(draft, of: source, store, database) { return known }
                count += 1
                try checkLimit(count)
                return try insert(draft, by: source, in: nil, store, database).object
            }
        }
    }

    /// Saves a workout or correlation, and then its samples, in one transaction.
    ///
    /// - Parameter source: who saves it; `nil` for the owner.
    /// - Throws: `invalid`, `unitMismatch`, `keyReused`, `full`, `diskFull`.
    public func save(
        _ draft: HealthGroupDraft, by source: HealthSource?
    ) async throws(HealthError) -> HealthGroup {
        let (group, samples) = try HealthDraftCheck(now: now()).check(draft)
        let view = source.map { HealthView(of: $0, readable: []) } ?? .owner
        return try await write { store, database in
            if let known = try Self.known(group, of: source, store, database) {
                return try Self.group(known, in: view, withSamples: true, store, database)
            }
            try checkLimit(try store.count(of: source, database) + 1 + samples.count)
            let saved = try insert(group, by: source, in: nil, store, database)
            for sample in samples {
                _ = try insert(sample, by: source, in: saved, store, database)
            }
            return try Self.group(saved.object, in: view, withSamples: true, store, database)
        }
    }

    // MARK: - Reading

    /// A page of samples of a type.
    ///
    /// - Throws: `invalid` for another cursor.
    public func samples(
        of type: HealthType, _ query: HealthQuery, in view: HealthView
    ) async throws(HealthError) -> HealthPage<HealthObject> {
        try await read { store, database in
            let found = try store.objects(of: type, query, in: view, database)
            return Self.page(found, query) { $0 }
        }
    }

    /// A page of workouts or correlations.
    ///
    /// - Parameters:
    ///   - type: `workout`, or the type of a correlation.
    ///   - withSamples: whether each has its samples, or its totals only.
    /// - Throws: `invalid` for another cursor.
    public func groups(
        of type: HealthType, _ query: HealthQuery, in view: HealthView, withSamples: Bool
    ) async throws(HealthError) -> HealthPage<HealthGroup> {
        try await read { store, database in
            let found = try store.objects(of: type, query, in: view, database) { object in
                guard let activity = query.activity else { return true }
                if case .workout(activity, _) = object.content { return true }
                return false
            }
            return try Self.page(found, query) {
                try Self.group($0, in: view, withSamples: withSamples, store, database)
            }
        }
    }

    /// A workout or correlation with its samples.
    ///
    /// - Throws: `notFound` also for one that the view does not have.
    public func group(
        _ id: String, of type: HealthType, in view: HealthView
    ) async throws(HealthError) -> HealthGroup {
        try await read { store, database in
            guard let object = try store.object(id, database), object.type == type,
                view.isOwn(object) || view.reads(type)
            else { throw HealthError(.notFound, "There is no \(type) with this identifier.") }
            return try Self.group(object, in: view, withSamples: true, store, database)
        }
    }

    /// What is stored, by type and source.
    public func counts() async throws(HealthError) -> [HealthCount] {
        try await read { store, database in try store.counts(database) }
    }

    // MARK: - Removing

    /// The type of an object that the caller may remove: its own, or for the owner any.
    ///
    /// - Throws: `notFound`; `invalid` for a part of a correlation.
    public func type(
        of id: String, by source: HealthSource?
    ) async throws(HealthError) -> HealthType {
        try await read { store, database in try Self.removable(id, source, store, database).type }
    }

    /// Removes an object, with its samples, that the caller saved; the owner may remove any.
    ///
    /// - Throws: `notFound`; `invalid` for a part of a correlation.
    public func remove(_ id: String, by source: HealthSource?) async throws(HealthError) {
        try await write { store, database in
            _ = try Self.removable(id, source, store, database)
            try store.remove(id, database)
        }
    }

    /// Removes everything that matches, with its samples.
    ///
    /// - Parameter andCharacteristics: whether all characteristics are removed, too.
    /// - Returns: how many objects were removed.
    public func removeAll(
        _ filter: HealthFilter, andCharacteristics: Bool = false
    ) async throws(HealthError) -> Int {
        let count = try await write { store, database in
            if andCharacteristics { try store.removeCharacteristics(database) }
            return try store.remove(filter, database)
        }
        // Removed pages are overwritten in the file; the log must not keep copies.
        try await checkpoint()
        return count
    }

    // MARK: - Characteristics

    /// The value of a characteristic, a number in the stored unit or a text; `nil` if there is none.
    public func characteristic(
        _ type: HealthType
    ) async throws(HealthError) -> HealthSampleDraft.Value? {
        try await read { store, database in
            switch try store.characteristic(type, database) {
            case .number(let number)?: .number(number)
            case .text(let text)?: .text(text)
            case .workout?, .correlation?, nil: nil
            }
        }
    }

    /// Sets a characteristic; with `nil`, removes it.
    ///
    /// - Throws: `invalid`, `unitMismatch`.
    public func set(
        _ type: HealthType, to value: HealthSampleDraft.Value?, unit: String? = nil
    ) async throws(HealthError) {
        var content: HealthObject.Content?
        if let value { content = try HealthDraftCheck.value(value, unit: unit, of: type) }
        let time = now()
        try await write { [content] store, database in
            try store.set(type, to: content, at: time, database)
        }
    }

    // MARK: - Private

    private struct Inserted {
        let object: HealthObject
        let number: Int64
    }

    private func insert(
        _ draft: HealthDraftCheck.Checked, by source: HealthSource?, in parent: Inserted?,
        _ store: HealthDatabase, _ database: Database
    ) throws -> Inserted {
        let object = HealthObject(
            id: RandomName.make(), type: draft.type, start: draft.start, end: draft.end,
            content: draft.content, source: source,
            parent: parent.map { HealthObject.Parent(id: $0.object.id, type: $0.object.type) },
            key: draft.key, metadata: draft.metadata)
        let number = try store.insert(
            object, digest: draft.digest, parent: parent?.number, saved: now(), database)
        return Inserted(object: object, number: number)
    }

    /// The object that the source has saved with the draft's key.
    ///
    /// - Throws: `keyReused` if it has other content.
    private static func known(
        _ draft: HealthDraftCheck.Checked, of source: HealthSource?, _ store: HealthDatabase,
        _ database: Database
    ) throws -> HealthObject? {
        guard let key = draft.key,
            let found = try store.object(withKey: key, of: source, database)
        else { return nil }
        guard found.digest == draft.digest else {
            throw HealthError(
                .keyReused, "The key \(key.debugDescription) was used for other content.",
                hint: "Use a key for one object only.")
        }
        return found.object
    }

    private func checkLimit(_ count: Int) throws(HealthError) {
        guard count > limit else { return }
        throw HealthError(
            .full, "An app can save \(limit) objects in the health store.",
            hint: "Remove some with: nervous health delete --app APP")
    }

    private static func group(
        _ object: HealthObject, in view: HealthView, withSamples: Bool, _ store: HealthDatabase,
        _ database: Database
    ) throws -> HealthGroup {
        let samples = try store.samples(
            of: object, in: view, totalsOnly: !withSamples, database)
        var totals: [HealthType: Double] = [:]
        for sample in samples where sample.type.isTotal {
            if case .number(let number) = sample.content {
                totals[sample.type, default: 0] += number
            }
        }
        return HealthGroup(object: object, samples: withSamples ? samples : [], totals: totals)
    }

    private static func removable(
        _ id: String, _ source: HealthSource?, _ store: HealthDatabase, _ database: Database
    ) throws -> HealthObject {
        guard let object = try store.object(id, database),
            source == nil || object.source == source
        else { throw HealthError(.notFound, "Nothing that may be removed has this identifier.") }
        if let parent = object.parent, parent.type.kind == .correlation {
            throw HealthError(
                .invalid, "A part of a correlation cannot be removed alone.",
                hint: "Remove the correlation: \(parent.id)")
        }
        return object
    }

    private static func page<Item>(
        _ found: [HealthObject], _ query: HealthQuery, _ item: (HealthObject) throws -> Item
    ) rethrows -> HealthPage<Item> {
        let shown = found.prefix(query.limit)
        let last = found.count > query.limit ? shown.last : nil
        return HealthPage(
            items: try shown.map(item), next: last.map { HealthCursor(after: $0).description })
    }

    private func write<T: Sendable>(
        _ body: @escaping @Sendable (HealthDatabase, Database) throws -> T
    ) async throws(HealthError) -> T {
        let store = try opened.get()
        do {
            return try await store.queue.write { try body(store, $0) }
        } catch {
            throw HealthError(wrapping: error)
        }
    }

    private func checkpoint() async throws(HealthError) {
        let store = try opened.get()
        do {
            try await store.queue.writeWithoutTransaction { database in
                _ = try database.checkpoint(.truncate)
            }
        } catch {
            throw HealthError(wrapping: error)
        }
    }

    private func read<T: Sendable>(
        _ body: @escaping @Sendable (HealthDatabase, Database) throws -> T
    ) async throws(HealthError) -> T {
        let store = try opened.get()
        do {
            return try await store.queue.read { try body(store, $0) }
        } catch {
            throw HealthError(wrapping: error)
        }
    }
}
