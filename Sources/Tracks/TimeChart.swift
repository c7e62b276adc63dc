import Glibc
public import Samples
import Text

/// Draws numbers over time as self-contained SVG 1.1: a panel for each field, with one axis of time.
///
/// Each panel keeps the least and the greatest number of each column of pixels, so that any number of
/// samples needs the same memory and no peak is lost.
///
/// ```swift
/// var chart = TimeChart(title: session.name, spans: session.spans)
/// let panel = chart.addPanel("busy", unit: "%")
/// chart.take(40, at: time, panel: panel)
/// let text = chart.text()
/// ```
public struct TimeChart: Sendable {
    /// The maximum number of panels; further fields are not drawn.
    public static let panelLimit = 16

    private static let width = 800.0
    private static let (left, right, top, bottom) = (88.0, 16.0, 40.0, 36.0)
    private static let (panelHeight, gap) = (96.0, 16.0)
    private static let columns = 696

    private struct Panel {
        let name: String
        /// The extremes of each span, by column.
        var extremes: [[Int: ClosedRange<Double>]]
    }

    private let title: String
    private let spans: [TimeRange]
    private var panels: [Panel] = []

    /// Creates an empty chart.
    ///
    /// - Parameter spans: the intervals that are drawn, in order of time; the time between them is shaded.
    public init(title: String, spans: [TimeRange]) {
        (self.title, self.spans) = (title, spans)
    }

    /// Adds a panel below the others.
    ///
    /// - Returns: its index for `take`; `nil` when the chart is full.
    public mutating func addPanel(_ name: String, unit: String?) -> Int? {
        guard panels.count < Self.panelLimit else { return nil }
        let shown = unit.map { $0 == "1" ? name : "\(name) (\($0))" } ?? name
        panels.append(Panel(name: shown, extremes: spans.map { _ in [:] }))
        return panels.count - 1
    }

    /// Takes a number, unless it is not finite or its time is outside of the spans.
    public mutating func take(_ value: Double, at time: Timestamp, panel: Int) {
        guard value.isFinite, let span = spans.firstIndex(where: { $0.contains(time) }) else {
            return
        }
        let column = Int(fraction(time) * Double(Self.columns - 1))
        let known = panels[panel].extremes[span][column] ?? value...value
        panels[panel].extremes[span][column] =
            min(known.lowerBound, value)...max(known.upperBound, value)
    }

    /// The text of a file.
    public func text() -> String {
        let height =
            Self.top + Double(max(1, panels.count)) * (Self.panelHeight + Self.gap) + Self.bottom
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="800" height="\#(number(height))" viewBox="0 0 800 \#(number(height))" font-family="sans-serif" font-size="12">"#,
            "<title>\(XMLText(title))</title>",
            ##"<rect width="800" height="\##(number(height))" fill="#f7f5f0"/>"##,
            ##"<text x="16" y="24" font-size="15" fill="#222">\##(XMLText(title))</text>"##,
        ]
        let isEmpty = panels.allSatisfy { $0.extremes.allSatisfy(\.isEmpty) }
        if isEmpty {
            lines.append(
                ##"<text x="400" y="96" text-anchor="middle" fill="#666">No samples</text>"##)
        } else {
            for (index, panel) in panels.enumerated() {
                lines += drawn(panel, y: Self.top + Double(index) * (Self.panelHeight + Self.gap))
            }
            lines += axis(y: height - Self.bottom + 12)
        }
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    // MARK: - Private

    private var start: Timestamp { spans.first?.from ?? Timestamp(microseconds: 0) }
    private var end: Timestamp { spans.last?.to ?? start }

    /// The position of a time between the start and the end, from 0 to 1.
    private func fraction(_ time: Timestamp) -> Double {
        let whole = Double(end.microseconds) - Double(start.microseconds)
        guard whole > 0 else { return 0 }
        let part = Double(time.microseconds) - Double(start.microseconds)
        return min(max(part / whole, 0), 1)
    }

    private func x(_ time: Timestamp) -> Double {
        Self.left + fraction(time) * Double(Self.columns - 1)
    }

    private func drawn(_ panel: Panel, y: Double) -> [String] {
        var lines = [
            ##"<rect x="\##(number(Self.left))" y="\##(number(y))" width="\##(Self.columns)" height="\##(number(Self.panelHeight))" fill="#ffffff" stroke="#dcd7cb"/>"##
        ]
        for (span, next) in zip(spans, spans.dropFirst()) where next.from > span.to {
            let (from, to) = (x(span.to), x(next.from))
            lines.append(
                ##"<rect class="pause" x="\##(number(from))" y="\##(number(y))" width="\##(number(to - from))" height="\##(number(Self.panelHeight))" fill="#ece8dd"/>"##
            )
        }
        lines.append(
            ##"<text x="\##(number(Self.left + 6))" y="\##(number(y + 14))" fill="#333">\##(XMLText(panel.name))</text>"##
        )
        let all = panel.extremes.flatMap(\.values)
        guard let low = all.map(\.lowerBound).min(), let high = all.map(\.upperBound).max() else {
            return lines
        }
        func ordinate(_ value: Double) -> Double {
            // Halved before subtracting: the range of two doubles can overflow.
            let share = high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5
            return y + Self.panelHeight - 6 - share * (Self.panelHeight - 26)
        }
        let digits = Self.digits(from: low, to: high)
        for (value, base) in [(high, 24.0), (low, Self.panelHeight - 2)].prefix(high > low ? 2 : 1)
        {
            lines.append(
                ##"<text x="\##(number(Self.left - 6))" y="\##(number(y + base))" text-anchor="end" fill="#666">\##(DecimalText(value, digits: digits))</text>"##
            )
        }
        for columns in panel.extremes where !columns.isEmpty {
            let points = columns.sorted { $0.key < $1.key }.flatMap { column, range in
                (range.lowerBound < range.upperBound
                    ? [range.lowerBound, range.upperBound] : [range.lowerBound]).map {
                        "\(number(Self.left + Double(column))),\(number(ordinate($0)))"
                    }
            }
            lines.append(
                ##"<polyline class="line" points="\##(points.joined(separator: " "))" fill="none" stroke="#0b62a4" stroke-width="1.5" stroke-linecap="round"/>"##
            )
        }
        return lines
    }

    /// The time since the start, at the start, the middle and the end.
    private func axis(y: Double) -> [String] {
        let seconds = (Double(end.microseconds) - Double(start.microseconds)) / 1_000_000
        return [(0.0, "start"), (0.5, "middle"), (1.0, "end")].map { share, anchor in
            let x = Self.left + share * Double(Self.columns - 1)
            return
                ##"<text x="\##(number(x))" y="\##(number(y))" text-anchor="\##(anchor)" fill="#666">\##(Self.elapsed(seconds * share))</text>"##
        }
    }

    /// A duration such as `0:05` or `1:02:03`.
    private static func elapsed(_ seconds: Double) -> String {
        let whole = Int(exactly: seconds.rounded(.down)) ?? 0
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return hours > 0
            ? "\(hours):\(padded(minutes)):\(padded(whole % 60))"
            : "\(minutes):\(padded(whole % 60))"
    }

    /// The digits after the dot that distinguish the ends of a range.
    private static func digits(from low: Double, to high: Double) -> Int {
        let size = high > low ? high - low : abs(high)
        guard size > 0, size.isFinite else { return 0 }
        return Int(min(max(2 - log10(size).rounded(.down), 0), 9))
    }

    private func number(_ value: Double) -> String { "\(DecimalText(value, digits: 2))" }
}
