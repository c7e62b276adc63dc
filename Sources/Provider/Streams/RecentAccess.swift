import API
import Auth
import Foundation
import Samples
import Scheduling

/// What each client read in the last minutes, for all streams that show it.
///
/// The access log is summarised once a minute while there are watchers, however many, and not otherwise.
///
/// ```swift
/// let (changes, watcher) = await recentAccess.watch()
/// for await _ in changes { print(await recentAccess.summary as Any) }
/// await recentAccess.unwatch(watcher)
/// ```
actor RecentAccess {
    /// How often the log is summarised.
    static let interval = Duration.seconds(60)
    /// The time that a summary covers.
    private static let span = Duration.seconds(15 * 60)
    /// The entries of the access log on a page, and the maximum number of pages.
    private static let (page, pages) = (500, 20)

    private let log: AccessLog
    private let time: any TimeSource
    private var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastWatcher = 0
    /// Computes summaries while there are watchers; it ends when the next one would be due without any.
    private var work: Task<Void, Never>?
    /// A list of ``AccessSummary``, those that read most first, as JSON; `nil` until it has been computed, and
    /// while the log cannot be read.
    private(set) var summary: Data?

    init(_ log: AccessLog, time: any TimeSource) {
        (self.log, self.time) = (log, time)
    }

    deinit { work?.cancel() }

    /// An element for each new summary, and at once if there is one of the last minute.
    func watch() -> (changes: AsyncStream<Void>, watcher: Int) {
        let (changes, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        lastWatcher += 1
        watchers[lastWatcher] = continuation
        if work == nil {
            work = Task { [weak self, time] in
                while await self?.computeIfWatched() == true {
                    guard (try? await time.sleep(for: Self.interval)) != nil else { return }
                }
            }
        } else if summary != nil {
            continuation.yield()
        }
        return (changes, lastWatcher)
    }

    /// Ends the changes of a watcher.
    func unwatch(_ watcher: Int) {
        watchers.removeValue(forKey: watcher)?.finish()
    }

    // MARK: - Private

    /// - Returns: whether there are watchers.
    private func computeIfWatched() async -> Bool {
        guard !watchers.isEmpty else {
            work = nil
            return false
        }
        summary = try? JSONText.encode(ItemList(try await items()))
        watchers.values.forEach { $0.yield() }
        return true
    }

    /// Commands of the owner and the dashboard do not count.
    private func items() async throws -> [AccessSummary] {
        let since = time.now().advanced(by: .zero - Self.span)
        var summaries: [String: AccessSummary] = [:]
        var query = AccessLogQuery(withoutOwner: true, limit: Self.page)
        for _ in 0..<Self.pages {
            let entries = try await log.entries(query)
            for entry in entries where entry.time >= since {
                guard let client = entry.client,
                    entry.access != .write || entry.kind == .refusal,
                    entry.kind == .access || entry.kind == .refusal
                else { continue }
                summaries[client, default: AccessSummary(client: client)].add(entry)
            }
            guard entries.count == Self.page, let last = entries.last, last.time >= since else {
                break
            }
            query.before = last.id
        }
        return summaries.values.sorted { ($1.samples, $0.client) < ($0.samples, $1.client) }
    }
}

extension AccessSummary {
    fileprivate mutating func add(_ entry: AccessLogEntry) {
        let sensor = entry.sensor?.description
        if entry.kind == .refusal {
            refusals += entry.calls
            if let sensor, !refused.contains(sensor) { refused.append(sensor) }
        } else {
            samples += entry.count
            if let sensor, !sensors.contains(sensor) { sensors.append(sensor) }
        }
    }
}
