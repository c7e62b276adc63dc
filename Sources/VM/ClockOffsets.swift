import Files
import Foundation
import Samples

/// The clock offsets of sources, by sensor, kept in one file over restarts.
///
/// For a source that delivers samples to the host, the source's own estimate is used; see
/// ``SourceReport/clock``. For clients that publish, the offset is estimated here.
struct ClockOffsets {
    /// The minimum time between two checks for changes.
    private static let interval = Duration.seconds(60)
    /// A smaller change is not stored until an hour has passed.
    private static let leastChange = Duration.milliseconds(100)
    private static let longestUnstored = Duration.seconds(3600)
    /// The maximum number of sensors of the file, which is replaced as a whole.
    private static let limit = 1000

    /// The estimates for sensors that clients publish to.
    private var filters: [SensorID: ClockFilter] = [:]
    private var offsets: [SensorID: ClockOffset]
    private var stored: [SensorID: ClockOffset]
    /// The sensors whose wrong clock was reported.
    private var reported: Set<SensorID> = []
    private var due = Timestamp.distantPast

    /// - Parameter stored: the offsets in the file; see ``ClockOffsetFile``.
    init(_ stored: [SensorID: ClockOffset]) {
        self.stored = stored
        offsets = stored
    }

    subscript(id: SensorID) -> ClockOffset? { offsets[id] }

    /// Notes that a client published samples with times of their own.
    mutating func note(_ reading: ClockReading, of id: SensorID) {
        filters[id, default: ClockFilter(resuming: offsets[id])].take(reading)
        set(filters[id]?.offset, for: id)
    }

    /// - Parameter offset: the estimate of a source; `nil` keeps an earlier one.
    mutating func set(_ offset: ClockOffset?, for id: SensorID) {
        guard let offset, offsets[id] != nil || offsets.count < Self.limit else { return }
        offsets[id] = offset
    }

    mutating func remove(_ id: SensorID) {
        filters[id] = nil
        offsets[id] = nil
        reported.remove(id)
    }

    /// Whether a minute has passed since this last returned `true`.
    mutating func isDue(at now: Timestamp) -> Bool {
        guard now >= due || due > now.advanced(by: Self.interval) else { return false }
        due = now.advanced(by: Self.interval)
        return true
    }

    /// The sensors whose clocks became wrong since the last call.
    mutating func takeWrong() -> [(id: SensorID, offset: ClockOffset)] {
        let wrong = offsets.filter(\.value.isWrong)
        let new = wrong.filter { !reported.contains($0.key) }
        reported = Set(wrong.keys)
        return new.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The offsets to store now; `nil` when the file needs no change.
    ///
    /// - Parameter isLast: whether the machine closes, so that small changes are stored, too.
    func unstored(isLast: Bool) -> [SensorID: ClockOffset]? {
        guard offsets != stored else { return nil }
        guard !isLast, offsets.count == stored.count else { return offsets }
        let isChanged = offsets.contains { id, offset in
            guard let old = stored[id], old.isSettled == offset.isSettled else { return true }
            let change = offset.ahead - old.ahead
            return max(change, .zero - change) >= Self.leastChange
                || old.measured.duration(to: offset.measured) >= Self.longestUnstored
        }
        return isChanged ? offsets : nil
    }

    mutating func didStore(_ offsets: [SensorID: ClockOffset]) {
        stored = offsets
    }
}

/// The file with the clock offsets of sources.
struct ClockOffsetFile: Sendable {
    private static let version = 1

    let path: String

    private struct Content: Codable {
        struct Item: Codable {
            let sensor: String
            /// Microseconds.
            let ahead: Int64
            /// Microseconds since 1970.
            let measured: Int64
            let settled: Bool
        }

        let version: Int
        let offsets: [Item]
    }

    /// The offsets; none when the file is missing or cannot be read, since they can be estimated again.
    func read() -> [SensorID: ClockOffset] {
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let content = try? JSONDecoder().decode(Content.self, from: data),
            content.version == Self.version
        else { return [:] }
        var offsets: [SensorID: ClockOffset] = [:]
        for item in content.offsets {
            guard let id = SensorID(item.sensor) else { continue }
            offsets[id] = ClockOffset(
                ahead: .microseconds(item.ahead),
                measured: Timestamp(microseconds: item.measured), isSettled: item.settled)
        }
        return offsets
    }

    /// Replaces the file.
    func write(_ offsets: [SensorID: ClockOffset]) throws {
        let items = offsets.sorted { $0.key < $1.key }.map { id, offset in
            Content.Item(
                sensor: id.description, ahead: offset.ahead.wholeMicroseconds,
                measured: offset.measured.microseconds, settled: offset.isSettled)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let content = Content(version: Self.version, offsets: items)
        try DurableFile.replace(path, with: Array(try encoder.encode(content)))
    }
}
