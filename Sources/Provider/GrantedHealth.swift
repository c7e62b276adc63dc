import Auth
import Health

/// The health store for clients: every call takes a `HealthGrant` and is recorded in the access log.
///
/// The routes get this instead of a `HealthStore`, so that code that forgot to ask for permission does
/// not compile.
///
/// ```swift
/// let page = try await health.samples(of: type, query, for: grant)
/// ```
struct GrantedHealth: Sendable {
    private let store: HealthStore
    private let log: AccessLog

    init(_ store: HealthStore, log: AccessLog) {
        (self.store, self.log) = (store, log)
    }

    // MARK: - Reading

    func samples(
        of type: HealthType, _ query: HealthQuery, for grant: HealthGrant
    ) async throws -> HealthPage<HealthObject> {
        let page = try await store.samples(of: type, query, in: grant.view)
        try await log.record(
            "health-samples", .read, for: grant, counts: [type: page.items.count])
        return page
    }

    /// Workouts with their totals, or correlations with their samples.
    func groups(
        of type: HealthType, _ query: HealthQuery, for grant: HealthGrant
    ) async throws -> HealthPage<HealthGroup> {
        let page = try await store.groups(
            of: type, query, in: grant.view, withSamples: type.kind == .correlation)
        try await record("health-\(type.kind.rawValue)s", page.items, of: type, for: grant)
        return page
    }

    func workout(_ id: String, for grant: HealthGrant) async throws -> HealthGroup {
        let group = try await store.group(id, of: .workout, in: grant.view)
        try await record("health-workout", [group], of: .workout, for: grant)
        return group
    }

    /// - Returns: `nil` if there is none, or the client may not read it.
    func characteristic(
        _ type: HealthType, for grant: HealthGrant
    ) async throws -> HealthSampleDraft.Value? {
        guard grant.view.reads(type) else { return nil }
        let value = try await store.characteristic(type)
        try await log.record(
            "health-characteristic", .read, for: grant, counts: [type: value == nil ? 0 : 1])
        return value
    }

    // MARK: - Saving and removing

    func save(
        _ drafts: [HealthSampleDraft], for grant: HealthGrant
    ) async throws -> [HealthObject] {
        precondition(drafts.allSatisfy { grant.mayWrite($0.type) }, "a grant for other types")
        let saved = try await store.save(drafts, by: grant.source)
        try await log.record("health-save", .write, for: grant, counts: saved.countsByType)
        return saved
    }

    func save(_ draft: HealthGroupDraft, for grant: HealthGrant) async throws -> HealthGroup {
        precondition(draft.privilegedTypes.allSatisfy(grant.mayWrite), "a grant for other types")
        let saved = try await store.save(draft, by: grant.source)
        var counts = saved.samples.countsByType
        if draft.type.isWritable { counts[draft.type] = 1 }
        try await log.record("health-save", .write, for: grant, counts: counts)
        return saved
    }

    /// The types that a client needs to be allowed to save in order to remove an object of its own.
    func typesToRemove(
        _ id: String, for grant: HealthGrant
    ) async throws -> Set<HealthType> {
        try await store.type(of: id, by: grant.source).privilegedTypes
    }

    func remove(
        _ id: String, of types: Set<HealthType>, for grant: HealthGrant
    ) async throws {
        precondition(types.allSatisfy(grant.mayWrite), "a grant for other types")
        try await store.remove(id, by: grant.source)
        try await log.record(
            "health-remove", .write, for: grant,
            counts: Dictionary(uniqueKeysWithValues: types.map { ($0, 1) }))
    }

    // MARK: - For the owner

    func set(
        _ type: HealthType, to value: HealthSampleDraft.Value?, unit: String? = nil,
        for grant: HealthGrant
    ) async throws {
        precondition(grant.isOwner, "characteristics are the owner's")
        try await store.set(type, to: value, unit: unit)
    }

    func counts(for grant: HealthGrant) async throws -> [HealthCount] {
        precondition(grant.isOwner, "the summary is for the owner")
        return try await store.counts()
    }

    /// - Parameter isWhole: whether the characteristics are removed, too.
    func removeAll(
        _ filter: HealthFilter, isWhole: Bool, for grant: HealthGrant
    ) async throws -> Int {
        precondition(grant.isOwner, "only the owner removes what others saved")
        let count = try await store.removeAll(filter, andCharacteristics: isWhole)
        let source = filter.app.map { " of \($0)" } ?? ""
        await log.note(.forgotten(filter.type, what: "\(count) objects\(source)"))
        return count
    }

    // MARK: - Private

    private func record(
        _ operation: String, _ groups: [HealthGroup], of type: HealthType, for grant: HealthGrant
    ) async throws {
        // What the client saved itself it may read without a privilege.
        let others = groups.filter { !grant.view.isOwn($0.object) }
        var counts = others.flatMap(\.samples).countsByType
        for total in others.flatMap(\.totals.keys) where counts[total] == nil {
            counts[total] = others.count { $0.totals[total] != nil }
        }
        if type.isReadable { counts[type] = groups.count }
        try await log.record(operation, .read, for: grant, counts: counts)
    }
}

extension HealthType {
    /// The types whose privileges cover it: itself, or the types in a correlation.
    var privilegedTypes: Set<HealthType> { kind == .correlation ? Set(parts) : [self] }
}

extension HealthGroupDraft {
    /// The types whose privileges are needed to save it.
    var privilegedTypes: Set<HealthType> {
        type.privilegedTypes.union(samples.map(\.type))
    }
}

extension [HealthObject] {
    fileprivate var countsByType: [HealthType: Int] {
        reduce(into: [:]) { $0[$1.type, default: 0] += 1 }
    }
}
