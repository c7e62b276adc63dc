/// A regular expression that must match a whole text, in time linear in the text.
///
/// The patterns come from clients. A search with backtracking takes exponential time for some of them, so the pattern
/// becomes a nondeterministic automaton of which all states are followed at once (K. Thompson, *Regular expression
/// search algorithm*, 1968).
///
/// It understands what RE2 and other languages have in common: literals, `.`, classes such as `[a-z]`, `\d`, `\w` and `\s`,
/// groups, `|`, `*`, `+`, `?`, `^` and `$`.
///
/// ```swift
/// let pattern = try LinearPattern("network\\.(eth|wlan)[0-9]+")
/// pattern.matches("network.eth0")  // true
/// ```
struct LinearPattern: Hashable, Sendable {
    private static let longest = 1000

    fileprivate indirect enum Node {
        case empty, start, end
        case one(ScalarSet)
        case sequence([Node])
        case either([Node])
        /// The minimum is 0 or 1; the maximum is 1 or none.
        case repeated(Node, isOptional: Bool, isUnlimited: Bool)
    }

    fileprivate struct ScalarSet: Hashable, Sendable {
        var ranges: [ClosedRange<UInt32>]
        var isInverted = false

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            ranges.contains { $0.contains(scalar.value) } != isInverted
        }
    }

    private enum Instruction: Hashable, Sendable {
        case one(ScalarSet)
        case either(Int, Int)
        case jump(Int)
        case start, end, match
    }

    private let program: [Instruction]

    /// - Throws: `PrometheusError` for a pattern that is not valid or not understood.
    init(_ pattern: String) throws(PrometheusError) {
        guard pattern.unicodeScalars.count <= Self.longest else {
            throw .badData("A regular expression has at most \(Self.longest) characters.")
        }
        var parser = PatternParser(pattern)
        var program: [Instruction] = []
        Self.compile(try parser.whole(), into: &program)
        program.append(.match)
        self.program = program
    }

    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var states: [Int] = []
        var isListed = [Bool](repeating: false, count: program.count)
        add(0, at: 0, of: scalars.count, to: &states, &isListed)
        for (place, scalar) in scalars.enumerated() {
            var next: [Int] = []
            isListed = [Bool](repeating: false, count: program.count)
            for state in states {
                guard case .one(let set) = program[state], set.contains(scalar) else { continue }
                add(state + 1, at: place + 1, of: scalars.count, to: &next, &isListed)
            }
            guard !next.isEmpty else { return false }
            states = next
        }
        return states.contains { program[$0] == .match }
    }

    /// Adds a state and those that it leads to without a character.
    private func add(
        _ state: Int, at place: Int, of count: Int, to states: inout [Int],
        _ isListed: inout [Bool]
    ) {
        var open = [state]
        while let state = open.popLast() {
            guard !isListed[state] else { continue }
            isListed[state] = true
            switch program[state] {
            case .jump(let target): open.append(target)
            case .either(let first, let second): open += [second, first]
            case .start: if place == 0 { open.append(state + 1) }
            case .end: if place == count { open.append(state + 1) }
            case .one, .match: states.append(state)
            }
        }
    }

    private static func compile(_ node: Node, into program: inout [Instruction]) {
        switch node {
        case .empty: break
        case .start: program.append(.start)
        case .end: program.append(.end)
        case .one(let set): program.append(.one(set))
        case .sequence(let parts): for part in parts { compile(part, into: &program) }
        case .either(let parts):
            var jumps: [Int] = []
            for (index, part) in parts.enumerated() {
                guard index < parts.count - 1 else {
                    compile(part, into: &program)
                    continue
                }
                let fork = program.count
                program.append(.jump(0))
                compile(part, into: &program)
                jumps.append(program.count)
                program.append(.jump(0))
                program[fork] = .either(fork + 1, program.count)
            }
            for jump in jumps { program[jump] = .jump(program.count) }
        case .repeated(let part, let isOptional, let isUnlimited):
            let fork = program.count
            if isOptional { program.append(.jump(0)) }
            let begin = program.count
            compile(part, into: &program)
            if isUnlimited { program.append(.either(begin, program.count + 1)) }
            if isOptional { program[fork] = .either(begin, program.count) }
        }
    }
}

/// Parses a regular expression.
private struct PatternParser {
    private static let deepest = 50

    private let scalars: [Unicode.Scalar]
    private var place = 0
    private var depth = 0

    init(_ pattern: String) {
        scalars = Array(pattern.unicodeScalars)
    }

    mutating func whole() throws(PrometheusError) -> LinearPattern.Node {
        let node = try either()
        guard place == scalars.count else { throw invalid("it has an unmatched )") }
        return node
    }

    private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        place += 1
        return true
    }

    private mutating func either() throws(PrometheusError) -> LinearPattern.Node {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw invalid("its groups are nested too deeply") }
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .either(parts)
    }

    private mutating func sequence() throws(PrometheusError) -> LinearPattern.Node {
        var parts: [LinearPattern.Node] = []
        while let scalar = next, scalar != "|", scalar != ")" { parts.append(try repeated()) }
        return .sequence(parts)
    }

    private mutating func repeated() throws(PrometheusError) -> LinearPattern.Node {
        let node = try one()
        let repeated: LinearPattern.Node
        switch next {
        case "*": repeated = .repeated(node, isOptional: true, isUnlimited: true)
        case "+": repeated = .repeated(node, isOptional: false, isUnlimited: true)
        case "?": repeated = .repeated(node, isOptional: true, isUnlimited: false)
        case "{": throw invalid("counts such as {2,3} are not supported")
        default: return node
        }
        place += 1
        // Whether as much or as little as possible is matched makes no difference for a whole text.
        _ = take("?")
        if let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
            throw invalid("a repetition is repeated")
        }
        return repeated
    }

    private mutating func one() throws(PrometheusError) -> LinearPattern.Node {
        guard let scalar = next else { return .empty }
        place += 1
        switch scalar {
        case ".": return .one(.init(ranges: [0x0A...0x0A], isInverted: true))
        case "^": return .start
        case "$": return .end
        case "[": return .one(try set())
        case "(":
            if take("?") {
                guard take(":") else { throw invalid("groups such as (?i) are not supported") }
            }
            let node = try either()
            guard take(")") else { throw invalid("it has an unmatched (") }
            return node
        case "\\": return .one(try escape())
        case "*", "+", "?", "{": throw invalid("a repetition has nothing to repeat")
        default: return .one(.init(ranges: [scalar.value...scalar.value]))
        }
    }

    private mutating func escape() throws(PrometheusError) -> LinearPattern.ScalarSet {
        guard let scalar = next else { throw invalid("it ends with \\") }
        place += 1
        let digits: ClosedRange<UInt32> = 0x30...0x39
        let word = [digits, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
        let space: [ClosedRange<UInt32>] = [0x09...0x0A, 0x0C...0x0D, 0x20...0x20]
        switch scalar {
        case "d": return .init(ranges: [digits])
        case "D": return .init(ranges: [digits], isInverted: true)
        case "w": return .init(ranges: word)
        case "W": return .init(ranges: word, isInverted: true)
        case "s": return .init(ranges: space)
        case "S": return .init(ranges: space, isInverted: true)
        case "n": return .init(ranges: [0x0A...0x0A])
        case "t": return .init(ranges: [0x09...0x09])
        default:
            guard scalar.isASCII, !scalar.properties.isAlphabetic, !digits.contains(scalar.value)
            else { throw invalid("\\\(scalar) is not supported") }
            return .init(ranges: [scalar.value...scalar.value])
        }
    }

    private mutating func set() throws(PrometheusError) -> LinearPattern.ScalarSet {
        var set = LinearPattern.ScalarSet(ranges: [])
        set.isInverted = take("^")
        var isFirst = true
        while let scalar = next, scalar != "]" || isFirst {
            isFirst = false
            place += 1
            if scalar == "[", next == ":" {
                throw invalid("classes such as [:alpha:] are not supported")
            }
            if scalar == "\\" {
                let escaped = try escape()
                guard !escaped.isInverted else {
                    throw invalid("a class in a class is not supported")
                }
                set.ranges += escaped.ranges
                continue
            }
            guard next == "-", place + 1 < scalars.count, scalars[place + 1] != "]" else {
                set.ranges.append(scalar.value...scalar.value)
                continue
            }
            let last = scalars[place + 1]
            guard last != "\\", last.value >= scalar.value else {
                throw invalid("a range in a class is not in order")
            }
            place += 2
            set.ranges.append(scalar.value...last.value)
        }
        guard take("]") else { throw invalid("it has an unmatched [") }
        return set
    }

    private func invalid(_ reason: String) -> PrometheusError {
        .badData(
            "The regular expression \(String(String.UnicodeScalarView(scalars)).debugDescription) cannot be used:"
                + " \(reason).")
    }
}
