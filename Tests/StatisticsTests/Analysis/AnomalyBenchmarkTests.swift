import Foundation
import Statistics
import Testing

/// Anomaly detection on the labelled series of the Numenta Anomaly Benchmark, which is not part of this repository.
///
/// The variable ANOMALIES names a checkout of github.com/numenta/NAB; without it the test is skipped. The defaults
/// were chosen with the first, third, … series of each folder in the order of names (`tuning`), and are reported on the
/// others (`held out`). A window of the labels is found if a reported sample is in it; recall is the share of windows
/// that are found. Reported samples form a group with those that follow within 1 % of the samples of the series. A group
/// is right if at least half of its samples are in windows; precision is the share of right groups.
struct AnomalyBenchmarkTests {
    private static let checkout = ProcessInfo.processInfo.environment["ANOMALIES"]

    @Test(.enabled(if: checkout != nil, "ANOMALIES names no checkout of NAB"))
    func `recall and precision are the expected ones`() throws {
        let series = try LabelledSeries.all(in: URL(filePath: Self.checkout ?? ""))
        #expect(series.count == 58)
        var lines: [String] = []
        for detector in Detector.allCases {
            for isTuning in [true, false] {
                let score = try Score(
                    detector, of: series.filter { $0.isTuning == isTuning })
                lines.append(
                    "\(detector.rawValue), \(isTuning ? "tuning" : "held out"): \(score)")
            }
        }
        let file = try #require(
            Bundle.module.url(
                forResource: "anomaly-benchmark", withExtension: "txt", subdirectory: "Fixtures"))
        let expected = try String(contentsOf: file, encoding: .utf8)
        #expect(lines.joined(separator: "\n") + "\n" == expected)
    }

    /// The detectors that are compared.
    private enum Detector: String, CaseIterable {
        case threeSigma = "three sigma"
        case rollingZ = "rolling z of 1 %"
        case medianDeviation = "MAD only"
        case auto, global, rolling, seasonal, change
        case sensitive = "auto with threshold 2 and limit 40"

        func indices(in series: Series) throws -> [Int] {
            switch self {
            case .threeSigma:
                let moments = Moments(series.values)
                let (mean, deviation) = (
                    moments.mean ?? 0, moments.populationVariance?.squareRoot() ?? 0
                )
                return series.indices.filter { abs(series.values[$0] - mean) > 3 * deviation }
            case .rollingZ: return Self.rollingZ(series.values)
            case .medianDeviation:
                guard let scores = AnomalyScore(series.values), scores.deviation > 0 else {
                    return []
                }
                return series.indices.filter {
                    abs(scores.score(series.values[$0]) ?? 0) > AnomalyScore.usualThreshold
                }
            case .auto: return try items(series, .auto, limit: AnomalyDetection.eventLimit)
            case .global: return try items(series, .global)
            case .rolling: return try items(series, .rolling)
            case .seasonal: return try items(series, .seasonal)
            case .change: return try items(series, .change)
            case .sensitive: return try items(series, .auto, threshold: 2, limit: 40)
            }
        }

        private func items(
            _ series: Series, _ method: AnomalyDetection.Method, threshold: Double? = nil,
            limit: Int = .max
        ) throws -> [Int] {
            let found = try AnomalyDetection(series, by: method, threshold: threshold)
            return found?.strongest(limit).map(\.index) ?? []
        }

        /// More than 3 standard deviations from the mean of the preceding 1 % of the samples.
        private static func rollingZ(_ values: [Double]) -> [Int] {
            let length = max(2, values.count / 100)
            return (length..<values.count).filter { index in
                let moments = Moments(values[(index - length)..<index])
                let deviation = moments.populationVariance?.squareRoot() ?? 0
                return abs(values[index] - (moments.mean ?? 0)) > 3 * deviation
            }
        }
    }

    /// Recall and precision on several series.
    private struct Score: CustomStringConvertible {
        private(set) var windows = 0
        private(set) var found = 0
        private(set) var groups = 0
        private(set) var right = 0

        init(_ detector: Detector, of all: [LabelledSeries]) throws {
            for one in all {
                let times = one.series.times
                let indices = try detector.indices(in: one.series)
                windows += one.windows.count
                found += one.windows.count { window in
                    indices.contains { window.contains(times[$0]) }
                }
                let gap = max(1, times.count / 100)
                var start = 0
                for end in indices.indices
                where end + 1 == indices.count || indices[end + 1] - indices[end] > gap {
                    let inside = indices[start...end].count { index in
                        one.windows.contains { $0.contains(times[index]) }
                    }
                    groups += 1
                    right += 2 * inside >= end - start + 1 ? 1 : 0
                    start = end + 1
                }
            }
        }

        var description: String {
            let recall = String(format: "%.2f", Double(found) / Double(windows))
            let precision = String(format: "%.2f", Double(right) / Double(max(1, groups)))
            return "recall \(recall) (\(found) of \(windows)),"
                + " precision \(precision) (\(right) of \(groups))"
        }
    }
}

/// A series with windows in which something unusual happened.
private struct LabelledSeries {
    let series: Series
    /// In microseconds since 1970.
    let windows: [ClosedRange<Int64>]
    /// Whether the defaults were chosen with it.
    let isTuning: Bool

    static func all(in checkout: URL) throws -> [LabelledSeries] {
        let data = checkout.appending(path: "data")
        let labels = try JSONDecoder().decode(
            [String: [[String]]].self,
            from: Data(contentsOf: checkout.appending(path: "labels/combined_windows.json")))
        // A name is a folder and a file.
        let folders = Dictionary(grouping: labels.keys) { $0.prefix { $0 != "/" } }
        return try folders.sorted { $0.key < $1.key }.flatMap { _, names in
            try names.sorted().enumerated().map { place, name in
                let text = try String(contentsOf: data.appending(path: name), encoding: .utf8)
                var series = Series()
                for line in text.split(whereSeparator: \.isNewline).dropFirst() {
                    let cells = line.split(separator: ",")
                    guard cells.count == 2, let value = Double(cells[1]) else { continue }
                    series.append(value, at: try time(cells[0]))
                }
                let windows = try (labels[name] ?? []).map { ends in
                    try time(ends[0][...])...time(ends[1][...])
                }
                return LabelledSeries(
                    series: series, windows: windows, isTuning: place.isMultiple(of: 2))
            }
        }
    }

    /// Microseconds since 1970 of a text such as 2014-02-14 14:30:00, read as UTC.
    private static func time(_ text: Substring) throws -> Int64 {
        let date = try Date(
            text.prefix(19).replacing(" ", with: "T") + "Z", strategy: .iso8601)
        return Int64(date.timeIntervalSince1970) * 1_000_000
    }
}
