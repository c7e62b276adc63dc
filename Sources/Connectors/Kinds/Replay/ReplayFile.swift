import Dispatch
import Foundation
import Glibc
import Tracks

/// A file with a track, read on a thread that may wait.
struct ReplayFile: Sendable {
    private static let queue = DispatchQueue(label: "nervous.replay", attributes: .concurrent)

    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// The fixes of all tracks, in the order of the file.
    ///
    /// - Throws: ``ConnectorError`` where it cannot be read or is neither GPX nor NMEA.
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
        // A byte order mark may stand before it.
        let first = bytes.first { $0 > 0x20 && $0 < 0x80 }
        guard first != UInt8(ascii: "<") else {
            return try GPXReader.tracks(bytes).flatMap(\.fixes)
        }
        var reader = NMEAReader()
        let reports = reader.take(bytes) + reader.finish()
        return reports.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
    }

    private func content() throws -> [UInt8] {
        // Without waiting: a pipe without a writer would hold the thread.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ConnectorError("It cannot be opened.") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ConnectorError("It is no file.")
        }
        let limit = TrackLimits().bytes
        let data = try file.read(upToCount: limit + 1) ?? Data()
        guard data.count <= limit else { throw ConnectorError("It is too large.") }
        return Array(data)
    }
}
