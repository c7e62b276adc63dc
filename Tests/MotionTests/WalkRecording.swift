import Foundation
import Motion
import Samples
import TestSupport
import Testing

/// Recorded walks with counted steps, in a folder that `STEPS` names.
///
/// `index.csv` has the columns `file`, `steps` and `feet_agree`, and each file, compressed with gzip, the
/// columns `seconds`, `x`, `y` and `z`, in m/s² with gravity, at 50 Hz.
struct WalkRecording: Sendable, CustomTestStringConvertible {
    struct Reading: Sendable {
        var seconds: Double
        var vector: SIMD3<Double>

        var time: Timestamp {
            Timestamp(microseconds: 1_700_000_000_000_000 + Int64((seconds * 1e6).rounded()))
        }
    }

    static let folder = ProcessInfo.processInfo.environment["STEPS"]

    let name: String
    /// The steps that switches under both feet counted.
    let steps: Int
    /// Whether both counted about as many.
    let feetAgree: Bool
    let readings: [Reading]

    var testDescription: String { name }

    static func all() throws -> [Self] {
        let folder = try #require(folder)
        let lines = try String(contentsOfFile: folder + "/index.csv", encoding: .utf8)
            .split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
        let head = try #require(lines.first)
        return try lines.dropFirst().map { line in
            let row = Dictionary(uniqueKeysWithValues: zip(head, line))
            let file = try #require(row["file"])
            return Self(
                name: String(file.prefix { $0 != "." }),
                steps: try #require(row["steps"].flatMap { Int($0) }),
                feetAgree: row["feet_agree"] == "yes", readings: try read(folder + "/" + file))
        }
    }

    private static func read(_ file: String) throws -> [Reading] {
        let gzip = try Program("/usr/bin/gzip", ["-dc", file], output: .pipe, errors: .inherited)
        let bytes = try gzip.readToEnd()
        try #require(try gzip.wait() == 0)
        return try String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().map {
            let numbers = $0.split(separator: ",").compactMap { Double($0) }
            try #require(numbers.count == 4)
            return Reading(
                seconds: numbers[0], vector: SIMD3(numbers[1], numbers[2], numbers[3]))
        }
    }

    /// The recording at another rate: with only some of its readings, or with interpolated ones.
    func resampled(to rate: Double) -> Self {
        guard rate != 50, let first = readings.first, let last = readings.last else { return self }
        var (resampled, index, next) = ([Reading](), 0, first.seconds)
        while next < last.seconds {
            while readings[index + 1].seconds < next { index += 1 }
            let (before, after) = (readings[index], readings[index + 1])
            let part = (next - before.seconds) / max(1e-6, after.seconds - before.seconds)
            if rate < 50 {
                resampled.append(part < 0.5 ? before : after)
            } else {
                let vector = before.vector + (after.vector - before.vector) * part
                resampled.append(Reading(seconds: next, vector: vector))
            }
            next += 1 / rate
        }
        return with(resampled)
    }

    func withoutGravity() -> Self {
        var gravity = GravityFilter()
        return with(
            readings.map { reading in
                let rest = gravity.remove(from: reading.vector, at: reading.time)
                return Reading(seconds: reading.seconds, vector: rest)
            })
    }

    private func with(_ readings: [Reading]) -> Self {
        Self(name: name, steps: steps, feetAgree: feetAgree, readings: readings)
    }
}
