import API
import Foundation
import Host
import Text

/// Prints the newest entries of the access log, then new ones as they are written.
struct LogFollower {
    private static let interval = Duration.seconds(1)
    private static let page = 500

    let client: APIClient
    /// The filters of the API.
    let query: [(name: String, value: String?)]
    /// How many entries are printed at the beginning.
    let limit: Int
    let console: Console
    private var last: Int64 = 0
    private var rows: TableRows

    init(
        client: APIClient, query: [(name: String, value: String?)], limit: Int, console: Console
    ) {
        (self.client, self.query, self.limit, self.console) = (client, query, limit, console)
        rows = TableRows(AccessLogItem.header, console)
    }

    /// Runs until it is cancelled.
    mutating func run() async throws {
        let newest = try await client.accessLog(query: query + [("limit", String(limit))]).value
        try show(newest.items.reversed())
        while true {
            try await Task.sleep(for: Self.interval)
            try show(try await newItems())
        }
    }

    /// The entries after the last one that was printed, oldest first.
    private func newItems() async throws -> [AccessLogItem] {
        var found: [AccessLogItem] = []
        var cursor: String?
        repeat {
            let reply = try await client.accessLog(
                query: query + [("limit", String(Self.page)), ("cursor", cursor)]
            ).value
            let new = reply.items.prefix { $0.id > last }
            found += new
            cursor = new.count == reply.items.count ? reply.next : nil
        } while cursor != nil
        return found.reversed()
    }

    private mutating func show(_ items: [AccessLogItem]) throws {
        guard let newest = items.last else { return }
        last = newest.id
        if console.isJSON {
            for item in items { try console.print(encoding: item) }
        } else {
            rows.print(items.map(\.cells))
        }
    }
}
