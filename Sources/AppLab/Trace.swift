import Auth
import Foundation
import Host
package import Samples
import Text
package import VM

/// Recorded samples of some sensors; see docs/trace-format.md.
///
/// ```swift
/// let trace = try Trace(file: "walk.trace")
/// print(trace.recordings.map(\.sensor.id), trace.length)
/// ```
package struct Trace: Sendable {
    /// The start and the end of the recording.
    package let start: Timestamp
    package let end: Timestamp
    package let recordings: [(sensor: Sensor, samples: SampleBatch)]

    static let format = "nervous-trace"
    static let version = 1

    /// When the replay starts: the first time at which every sensor that has samples has one.
    package var replayStart: Timestamp {
        recordings.compactMap(\.samples.times.first).max() ?? start
    }

    /// The time from the start of the replay to the end of the recording.
    package var length: Duration { .microseconds(end.microseconds - replayStart.microseconds) }

    /// Reads a file.
    ///
    /// - Throws: `CommandFailure` with code `noInput`, or `badData` with the invalid line.
    package init(file: String) throws {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CommandFailure(
                .noInput, "Cannot read the trace \(file.escapedForDisplay(limit: 200)).",
                hint: "Record one with: nervous record cpu --for 1m > FILE", type: "input-missing")
        }
        try self.init(parsing: Array(bytes), named: file)
    }

    package init(parsing bytes: [UInt8], named name: String) throws {
        var reader = TraceReader(name: name)
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            try reader.take(Array(line))
        }
        // An incomplete last line.
        if bytes.last != 0x0A, !bytes.isEmpty { throw reader.cutOff() }
        self = try reader.finish()
    }

    init(
        start: Timestamp, end: Timestamp, recordings: [(sensor: Sensor, samples: SampleBatch)]
    ) {
        self.start = start
        self.end = end
        self.recordings = recordings
    }
}

/// Writes a trace to a temporary file, which ``finish()`` renames.
package final class TraceFile {
    private let path: String
    private let part: String
    private let handle: FileHandle

    /// - Throws: `CommandFailure` with code `cannotCreate`.
    package init(_ path: String) throws {
        self.path = path
        part = "\(path).part"
        guard
            FileManager.default.createFile(
                atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: part)
        else {
            throw CommandFailure(
                .cannotCreate, "Cannot write \(path).", hint: "Choose another path with --output.")
        }
        self.handle = handle
    }

    package func write(_ line: String) throws {
        try handle.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Renames the file into place, replacing an existing one.
    package func finish() throws {
        try handle.close()
        guard rename(part, path) == 0 else {
            throw CommandFailure(
                .cannotCreate, "Cannot write \(path).", hint: "Choose another path with --output.")
        }
    }

    deinit { unlink(part) }
}
