import Foundation
import Samples
import Text

/// A regular expression (ICU) that whole lines fit, and the groups that hold values.
///
/// An expression may take exponential time on some lines, so the work on each is bounded.
struct LinePattern: Sendable {
    private static let longest = 1024
    private static let longestLine = 4096
    /// The engine asks after every 10 000 steps whether to go on.
    private static let mostTurns = 50

    private let expression: NSRegularExpression
    private let groups: [Group]

    private enum Group: Sendable {
        case number(Int)
        case name(String)
    }

    /// - Throws: ``PayloadError`` for what is no expression, and for groups that it has not.
    init(_ pattern: String, groups names: [String]) throws(PayloadError) {
        // By itself, too: `a)|(b` would fit into the parentheses, and then fit a part of a line.
        guard pattern.utf8.count <= Self.longest,
            (try? NSRegularExpression(pattern: pattern)) != nil,
            let expression = try? NSRegularExpression(pattern: "^(?:\(pattern))$")
        else {
            throw PayloadError("\(pattern.escapedForDisplay(limit: 80)) is no regular expression")
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

    /// - Returns: `nil` for a line that does not fit, or that would take too long to tell.
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
        var turns = 0
        let whole = NSRange(line.startIndex..., in: line)
        expression.enumerateMatches(in: line, options: .reportProgress, range: whole) {
            found, _, stop in
            match = match ?? found
            turns += 1
            if match != nil || turns > Self.mostTurns { stop.pointee = true }
        }
        return match
    }
}
