import Dispatch
import Foundation
import Glibc
import Ingest
import Samples
import Scheduling
import Tracks

/// Replays the track of a file as if the machine moved along it now.
///
/// The values are named as in ``GPSDConnector``. The samples have their times of arrival; `gpsTime` is the
/// recorded time.
struct ReplayConnector: ConnectorKind {
    static let kind = "replay"
    static let standardFormat: String? = "named"
    /// The minimum time between the last fix and the first one of the next loop.
    private static let leastLoopPause = Duration.milliseconds(100)

    /// The absolute path of a file of tracks or of NMEA sentences.
    let file: String
    /// The playback speed relative to the recording.
    let speed: Double
    /// Whether the track is repeated.
    let isLoop: Bool
    private let time: any TimeSource

    init(_ source: inout PackObject) throws(PackError) {
        let file = try source.requiredText("file")
        guard file.hasPrefix("/") else { throw source.wrong("file", "is not an absolute path") }
        let speed = try source.number("speed", in: 0.001...1000) ?? 1
        self.init(file: file, speed: speed, isLoop: try source.flag("loop") ?? false)
    }

    /// - Parameter time: waits for the next fix.
    init(
        file: String, speed: Double = 1, isLoop: Bool = false,
        time: any TimeSource = .system
    ) {
        (self.file, self.speed, self.isLoop, self.time) = (file, speed, isLoop, time)
    }

    var sourceName: String { "replay of \(file)" }

    func connect(_ sink: SampleSink) async throws {
        let fixes = try await ReplayFile(file).fixes()
        let replay: TrackReplay
        do {
            replay = try TrackReplay(fixes, from: .now(), speed: speed)
        } catch {
            throw ConnectorError("\(file): \(error.message)")
        }
        guard let last = replay.items.last else {
            throw ConnectorError("\(file) contains no position to replay.")
        }
        sink.connected()
        // The time from the last fix back to the first equals the time between the last two.
        let before = replay.items.dropLast().last
        let round = last.due + max(Self.leastLoopPause, last.due - (before?.due ?? .zero))
        var passed = Duration.zero
        repeat {
            for item in replay.items {
                try await wait(until: item.due, &passed)
                sink.take(Reading(item.fix, usesArrivalTime: true, receiverTime: item.recorded))
            }
            if isLoop {
                try await wait(until: round, &passed)
                passed = .zero
            }
        } while isLoop
        // Returning would reconnect and play the track again.
        sink.warn("\(file) was replayed to its end.")
        while true { try await time.sleep(for: .seconds(86_400)) }
    }

    private func wait(until due: Duration, _ passed: inout Duration) async throws {
        if due > passed { try await time.sleep(for: due - passed) }
        try Task.checkCancellation()
        passed = max(passed, due)
    }
}

/// A file with a track, read on a separate thread because reading may block.
private struct ReplayFile: Sendable {
    private static let queue = DispatchQueue(label: "nervous.replay", attributes: .concurrent)

    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// The fixes of all tracks, in the order of the file.
    ///
    /// - Throws: ``ConnectorError`` if it cannot be read or contains neither tracks nor NMEA.
    func fixes() async throws(ConnectorError) -> [Fix] {
        let answer = await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: Result { try read() }) }
        }
        do {
            return try answer.get()
        } catch {
            let message = (error as? TrackError)?.message ?? (error as? ConnectorError)?.message
            throw ConnectorError("\(path): \(message ?? "It cannot be read.")")
        }
    }

    private func read() throws -> [Fix] {
        let bytes = try content()
        // Skips a byte order mark.
        let first = bytes.first { $0 > 0x20 && $0 < 0x80 }
        guard first != UInt8(ascii: "<"), TrackFormat(recognizing: bytes) == nil else {
            return try TrackFile(bytes, missingTimes: .everySecond).tracks.flatMap(\.fixes)
        }
        var reader = NMEAReader()
        let reports = reader.take(bytes) + reader.finish()
        return reports.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
    }

    private func content() throws -> [UInt8] {
        // Non-blocking, since opening a pipe without a writer would block the thread.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ConnectorError("It cannot be opened.") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ConnectorError("It is not a regular file.")
        }
        let limit = TrackLimits().bytes
        let data = try file.read(upToCount: limit + 1) ?? Data()
        guard data.count <= limit else { throw ConnectorError("It is too large.") }
        return Array(data)
    }
}
