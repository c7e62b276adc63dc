import API
import AppRuns
import AppStorage
import Auth
import Foundation
import Hummingbird
import NIOCore
import Scheduling
import VM

/// The parts of a stream for the owner: lists that are written whenever they change, and notices.
struct OwnerEvents: Sendable {
    enum Part: String, CaseIterable, Comparable {
        case list, requests, runs, notices

        /// The name of its events.
        var eventName: String {
            switch self {
            case .list: "sensors"
            case .requests, .runs: rawValue
            case .notices: "notification"
            }
        }

        static func < (left: Part, right: Part) -> Bool { left.rawValue < right.rawValue }
    }

    /// How often the usage of active runs is written.
    private static let usageInterval = Duration.seconds(5)

    let authority: Authority
    let machine: VirtualMachine
    let supervisor: RunSupervisor

    /// Adds changes of a part to an inbox until the task is cancelled.
    func watch(_ part: Part, _ inbox: StreamInbox) async {
        switch part {
        case .list: await forward(machine.sensorChanges.watch(), part, inbox)
        case .requests: await forward(authority.requestChanges.watch(), part, inbox)
        case .runs:
            await withDiscardingTaskGroup { group in
                group.addTask { await forward(supervisor.changes.watch(), part, inbox) }
                group.addTask {
                    while (try? await Task.sleep(for: Self.usageInterval)) != nil {
                        await inbox.add(part)
                    }
                }
            }
        case .notices:
            let (notices, watcher) = await authority.noticeBoard.watch()
            for await notice in notices { await inbox.add(notice) }
            await authority.noticeBoard.unwatch(watcher)
        }
    }

    private func forward(
        _ changes: AsyncStream<Void>, _ part: Part, _ inbox: StreamInbox
    ) async {
        // Includes what changed before the watch began.
        await inbox.add(part)
        for await _ in changes { await inbox.add(part) }
    }

    /// The list of a part, as its route returns it.
    func body(of part: Part) async throws -> Data? {
        switch part {
        case .list:
            let sensors = await machine.statuses().map {
                SensorDescription($0, .granted, seesNewest: true)
            }
            return try JSONText.encode(ItemList(sensors))
        case .requests:
            let requests = await authority.pendingRequests()
            return try JSONText.encode(ItemList(requests.map(RequestDescription.init)))
        case .runs:
            let runs = await supervisor.runs()
            return try JSONText.encode(ItemList(runs.map { RunDescription($0) }))
        case .notices: return nil
        }
    }
}

/// Writes the parts that have changed since they were written last.
struct OwnerFeed {
    let events: OwnerEvents
    let parts: Set<OwnerEvents.Part>
    private var last: [OwnerEvents.Part: Data] = [:]

    init(_ events: OwnerEvents, _ parts: Set<OwnerEvents.Part>) {
        self.events = events
        self.parts = parts
    }

    /// - Returns: whether anything was written.
    mutating func write(
        _ news: StreamInbox.Contents, to writer: inout any ResponseBodyWriter
    ) async throws -> Bool {
        var output = ByteBuffer()
        for part in news.parts.sorted() {
            guard let body = try await events.body(of: part), last[part] != body else { continue }
            last[part] = body
            var event = StreamEvent.part(part, body)
            output.writeBuffer(&event)
        }
        for notice in news.notices {
            var event = try StreamEvent.notice(notice, hasID: false)
            output.writeBuffer(&event)
        }
        guard output.readableBytes > 0 else { return false }
        try await writer.write(output)
        return true
    }
}
