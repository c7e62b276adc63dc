import Auth
import Foundation
import Samples
import Text
import VM

/// Samples that were recorded, to be sensed again; see docs/trace-format.md.
struct Trace: Sendable {
    /// When recording began, and when it ended.
    let start: Timestamp
    let end: Timestamp
    let recordings: [(sensor: Sensor, samples: SampleBatch)]

    static let format = "nervous-trace"
    static let version = 1

    /// When each of its sensors that has samples has shown one: apps begin then, as they do where
    /// sensors have been read before.
    var first: Timestamp { recordings.compactMap(\.samples.times.first).max() ?? start }

    /// The time from then to its end.
    var length: Duration { .microseconds(end.microseconds - first.microseconds) }

    /// Reads a file.
    ///
    /// - Throws: `CommandFailure` with code `noInput`, or `badData` with the line that is damaged.
    init(file: String) throws {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CommandFailure(
                .noInput, "The trace \(file.escapedForDisplay(limit: 200)) cannot be read.",
                hint: "Make one with: nervous record cpu --for 1m > FILE", type: "input-missing")
        }
        try self.init(parsing: Array(bytes), named: file)
    }

    init(parsing bytes: [UInt8], named name: String) throws {
        var reader = TraceReader(name: name)
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            try reader.take(Array(line))
        }
        // What stands behind the last line break is the beginning of a line that was cut off.
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
