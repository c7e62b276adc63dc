import Samples
import Statistics
import VM

/// The parsed definition of a virtual sensor.
struct Pipeline: Sendable {
    /// How one field is computed.
    enum Operation: Hashable, Sendable {
        case statistic(Statistic, of: FieldReference)
        /// An analysis whose result is one number.
        case analysis(Analysis, of: [FieldReference], every: Duration?)

        var inputs: [FieldReference] {
            switch self {
            case .statistic(_, let input): [input]
            case .analysis(_, let inputs, _): inputs
            }
        }
    }

    /// The analyses whose result is a single number, with a description of this number.
    static let analyses = [
        "correlation": "Pearson's coefficient", "trend": "the slope per second",
        "entropy": "the entropy in bits",
    ]
    static let inputLimit = 16
    static let outputLimit = 32
    /// The maximum number of windows that contain one moment.
    static let overlapLimit = 100
    /// The longest window, in microseconds: 366 days.
    private static let longestWindow: Int64 = 366 * 86_400_000_000

    let windows: WindowGrid
    let operations: [Operation]

    /// Parses a definition, as far as possible without the sensors.
    ///
    /// - Throws: `invalidDefinition`.
    init(_ derivation: Derivation) throws(LAEError) {
        windows = try Self.windows(derivation)
        guard (1...Self.inputLimit).contains(derivation.inputs.count),
            (1...Self.outputLimit).contains(derivation.outputs.count)
        else {
            throw Self.invalid(
                "A virtual sensor has from 1 to \(Self.inputLimit) inputs, and from 1 to"
                    + " \(Self.outputLimit) outputs.")
        }
        var inputs: [FieldReference] = []
        for text in derivation.inputs { inputs.append(try Self.reference(text)) }
        guard Set(inputs).count == inputs.count else {
            throw Self.invalid("An input is repeated.")
        }
        var operations: [Operation] = []
        for output in derivation.outputs {
            operations.append(try Self.operation(output, inputs))
        }
        let used = Set(operations.flatMap(\.inputs))
        if let idle = inputs.first(where: { !used.contains($0) }) {
            throw Self.invalid("No output uses the input \(idle).")
        }
        self.operations = operations
    }

    /// The sensors it is computed from, each once, in the order of the outputs.
    var sensors: [SensorID] {
        var seen: Set<SensorID> = []
        return operations.flatMap(\.inputs).map(\.sensor).filter { seen.insert($0).inserted }
    }

    /// The fields it is computed from, each once.
    var inputs: [FieldReference] {
        var seen: Set<FieldReference> = []
        return operations.flatMap(\.inputs).filter { seen.insert($0).inserted }
    }

    static func invalid(_ message: String, hint: String? = nil) -> LAEError {
        LAEError(.invalidDefinition, message, hint: hint)
    }

    // MARK: - Private

    private static func windows(_ derivation: Derivation) throws(LAEError) -> WindowGrid {
        guard let window = Duration(span: derivation.window)?.wholeMicroseconds,
            let slide = Duration(span: derivation.slide ?? derivation.window)?.wholeMicroseconds,
            window > 0, slide > 0, window <= longestWindow
        else {
            throw invalid("window and slide are durations such as 10s, 1m or 1d, at most 366d.")
        }
        guard window % slide == 0, window / slide <= overlapLimit else {
            throw invalid(
                "window must be a whole number of slides, at most \(overlapLimit) of them.")
        }
        return WindowGrid(slide: slide, overlap: window / slide)
    }

    private static func reference(_ text: String) throws(LAEError) -> FieldReference {
        do throws(LAEError) {
            return try FieldReference(parsing: text)
        } catch {
            throw invalid(error.message, hint: error.hint)
        }
    }

    private static func operation(
        _ output: Derivation.Output, _ inputs: [FieldReference]
    ) throws(LAEError) -> Operation {
        guard let names = output.of ?? (inputs.count == 1 ? [inputs[0].description] : nil) else {
            throw invalid("\(output.name) does not name its inputs.")
        }
        var chosen: [FieldReference] = []
        for name in names {
            let reference = try reference(name)
            guard inputs.contains(reference) else {
                throw invalid("\(output.name) uses \(reference), which is not an input.")
            }
            chosen.append(reference)
        }
        if analyses[output.by] != nil { return try analysis(output, chosen) }
        guard let statistic = Statistic(output.by) else {
            throw invalid(
                "\(output.by.prefix(40).debugDescription) is neither a statistic nor an analysis"
                    + " that gives one number.",
                hint: "There are: \(Statistic.allNames), "
                    + analyses.keys.sorted().joined(separator: ", "))
        }
        guard chosen.count == 1, output.every == nil else {
            throw invalid("\(output.by) takes one input and does not support every.")
        }
        return .statistic(statistic, of: chosen[0])
    }

    private static func analysis(
        _ output: Derivation.Output, _ inputs: [FieldReference]
    ) throws(LAEError) -> Operation {
        let every = output.every.map { Duration(span: $0) }
        if case .some(nil) = every { throw invalid("every is a duration such as 10s.") }
        guard output.by != "correlation" || inputs.count == 2 else {
            throw invalid("correlation takes two inputs.")
        }
        do throws(LAEError) {
            let analysis = try Analysis(output.by)
            try AnalysisRequest(analysis, of: inputs, every: every ?? nil).check()
            return .analysis(analysis, of: inputs, every: every ?? nil)
        } catch {
            throw invalid("\(output.name): \(error.message)", hint: error.hint)
        }
    }
}

/// Windows of equal length that end at the multiples of a slide since 1970.
///
/// A window is identified by its number: the slides from 1970 to its end.
struct WindowGrid: Hashable, Sendable {
    /// The interval between the ends of windows, in microseconds; at least 1.
    let slide: Int64
    /// The length of a window in slides; at least 1.
    let overlap: Int64

    /// The end of a window, which is the time of its sample.
    func end(of window: Int64) -> Timestamp { Timestamp(microseconds: window * slide) }

    func span(of window: Int64) -> TimeRange {
        TimeRange(
            from: end(of: window).advanced(byMicroseconds: -slide * overlap), to: end(of: window))
    }

    /// The time range from the start of the first window to the end of the last one.
    func span(of windows: ClosedRange<Int64>) -> TimeRange {
        TimeRange(from: span(of: windows.lowerBound).from, to: end(of: windows.upperBound))
    }

    /// The windows that contain a moment.
    func windows(holding time: Timestamp) -> ClosedRange<Int64> {
        let first = floored(time) + 1
        return first...(first + overlap - 1)
    }

    /// The first window that does not end before a moment.
    func first(endingFrom time: Timestamp) -> Int64 {
        let quotient = floored(time)
        return quotient * slide == time.microseconds ? quotient : quotient + 1
    }

    /// The last window that does not end after a moment.
    func last(endingBy time: Timestamp) -> Int64 { floored(time) }

    private func floored(_ time: Timestamp) -> Int64 {
        let (quotient, rest) = time.microseconds.quotientAndRemainder(dividingBy: slide)
        return rest < 0 ? quotient - 1 : quotient
    }
}
