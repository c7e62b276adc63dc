import Foundation
import Samples
import Text

/// Splits a byte stream into lines, in bounded memory.
///
/// A line ends with LF, CR or CR LF. Empty lines are skipped. Lines longer than the limit are dropped
/// and counted.
///
/// ```swift
/// var splitter = LineSplitter()
/// for line in splitter.take(bytes) { handle(line) }
/// ```
public struct LineSplitter: Sendable {
    /// The maximum length of a line in bytes.
    public let limit: Int
    /// The number of lines dropped because they were too long.
    public private(set) var overlong = 0
    private var line: [UInt8] = []
    private var isSkipping = false

    /// Creates a splitter.
    ///
    /// - Parameter limit: the maximum length of a line in bytes, at least 1.
    public init(limit: Int = 4096) {
        self.limit = max(1, limit)
    }

    /// Appends bytes and returns the lines they complete.
    public mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte == 0x0A || byte == 0x0D {
                if !line.isEmpty { lines.append(line) }
                line.removeAll(keepingCapacity: true)
                isSkipping = false
            } else if isSkipping {
                continue
            } else if line.count < limit {
                line.append(byte)
            } else {
                line.removeAll(keepingCapacity: true)
                isSkipping = true
                overlong += 1
            }
        }
        return lines
    }

    /// Ends the stream and returns its last line if that has no line end.
    public mutating func end() -> [UInt8]? {
        let last = line
        reset()
        return last.isEmpty ? nil : last
    }

    /// Discards a partial line, such as after a device was disconnected.
    public mutating func reset() {
        line.removeAll(keepingCapacity: true)
        isSkipping = false
    }
}

/// A line of `key: value` or `key=value` pairs separated by commas or semicolons.
///
/// In a pair with neither sign, a tab separates the key from the value, as in the lines of Victron's VE.Direct.
struct KeyValueLine {
    /// The values by normalised key.
    private(set) var values: [String: Value] = [:]

    private static let maximumPairs = 64

    /// - Returns: `nil` for a line without a pair, with too many pairs or with duplicate keys.
    init?(_ line: String) {
        let parts = line.split(maxSplits: Self.maximumPairs) { $0 == "," || $0 == ";" }
        // One more part than the maximum is the rest of a line with too many pairs.
        guard parts.count <= Self.maximumPairs else { return nil }
        for part in parts {
            guard
                let mark = part.firstIndex(where: { $0 == ":" || $0 == "=" })
                    ?? part.firstIndex(of: "\t")
            else { return nil }
            let key = Self.reduced(String(part[..<mark]))
            let text = part[part.index(after: mark)...]
            guard !key.isEmpty, let value = Value(text: text), values[key] == nil else {
                return nil
            }
            values[key] = value
        }
        guard !values.isEmpty else { return nil }
    }

    /// A key in lower case, with single spaces.
    static func reduced(_ key: String) -> String {
        key.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// A regular expression (ICU) that matches whole lines, and the groups that capture values.
///
/// Matching may take exponential time, so the work per line is bounded.
struct LinePattern: Sendable {
    static let longest = 1024
    private static let longestLine = 4096
    /// The maximum number of progress reports for a line; the engine reports every 10 000 steps.
    private static let maximumReports = 50

    private let expression: NSRegularExpression
    private let groups: [Group]

    private enum Group: Sendable {
        case number(Int)
        case name(String)
    }

    /// - Throws: ``PayloadError`` for an invalid expression or an unknown group.
    init(_ pattern: String, groups names: [String]) throws(PayloadError) {
        // The pattern must also be valid on its own: `a)|(b` is valid only within the added parentheses, and
        // would match a part of a line.
        guard pattern.utf8.count <= Self.longest,
            (try? NSRegularExpression(pattern: pattern)) != nil,
            let expression = try? NSRegularExpression(pattern: "^(?:\(pattern))$")
        else {
            throw PayloadError(
                "\(pattern.escapedForDisplay(limit: 80)) is not a valid regular expression")
        }
        var groups: [Group] = []
        for name in names {
            if let number = Int(name), (0...expression.numberOfCaptureGroups).contains(number) {
                groups.append(.number(number))
            } else if pattern.contains("(?<\(name)>") {
                groups.append(.name(name))
            } else {
                throw PayloadError(
                    "the expression has no group \(name.escapedForDisplay(limit: 40))")
            }
        }
        (self.expression, self.groups) = (expression, groups)
    }

    /// - Returns: `nil` for a line that does not match or exceeds the work limit.
    func values(of line: String) -> [Value?]? {
        guard line.utf8.count <= Self.longestLine, let match = match(line) else { return nil }
        return groups.map { group in
            let range =
                switch group {
                case .number(let number): match.range(at: number)
                case .name(let name): match.range(withName: name)
                }
            return Range(range, in: line).flatMap { Value(text: line[$0]) }
        }
    }

    private func match(_ line: String) -> NSTextCheckingResult? {
        var match: NSTextCheckingResult?
        var reports = 0
        let whole = NSRange(line.startIndex..., in: line)
        expression.enumerateMatches(in: line, options: .reportProgress, range: whole) {
            found, _, stop in
            match = match ?? found
            reports += 1
            if match != nil || reports > Self.maximumReports { stop.pointee = true }
        }
        return match
    }
}
