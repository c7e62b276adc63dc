import Samples
import Statistics
import VM

/// What a virtual sensor computes, read from its definition.
struct Pipeline: Sendable {
    /// What one field is made of.
    enum Operation: Hashable, Sendable {
        case statistic(Statistic, of: FieldReference)
        /// An analysis whose answer is one number.
        case analysis(Analysis, of: [FieldReference], every: Duration?)

        var inputs: [FieldReference] {
            switch self {
            case .statistic(_, let input): [input]
            case .analysis(_, let inputs, _): inputs
            }
        }
    }

    /// The analyses that give one number, and which one.
    static let analyses = [
        "correlation": "Pearson's coefficient", "trend": "the slope by second",
        "entropy": "the bits",
    ]
    static let inputLimit = 16
    static let outputLimit = 32
    /// The most windows that one moment lies in.
    static let overlapLimit = 100
    /// The longest window, in microseconds: 366 days.
    private static let longestWindow: Int64 = 366 * 86_400_000_000

    let windows: WindowGrid
    let operations: [Operation]

    /// Reads a definition, as far as that goes without knowing the sensors.
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
            throw Self.invalid("An input is there twice.")
        }
        var operations: [Operation] = []
        for output in derivation.outputs {
            operations.append(try Self.operation(output, inputs))
        }
        let used = Set(operations.flatMap(\.inputs))
        if let idle = inputs.first(where: { !used.contains($0) }) {
            throw Self.invalid("No output is made of the input \(idle).")
        }
        self.operations = operations
    }

    /// The sensors it is made of, each once, in the order of the outputs.
    var sensors: [SensorID] {
        var seen: Set<SensorID> = []
        return operations.flatMap(\.inputs).map(\.sensor).filter { seen.insert($0).inserted }
    }

    /// Every field it is made of, each once.
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
            throw invalid("window and slide are spans such as 10s, 1m or 1d, at most 366d.")
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
            throw invalid("\(output.name) does not say of which inputs it is made.")
        }
        var chosen: [FieldReference] = []
        for name in names {
            let reference = try reference(name)
            guard inputs.contains(reference) else {
                throw invalid("\(output.name) is made of \(reference), which is not an input.")
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
            throw invalid("\(output.by) takes one input, and no every.")
        }
        return .statistic(statistic, of: chosen[0])
    }

    private static func analysis(
        _ output: Derivation.Output, _ inputs: [FieldReference]
    ) throws(LAEError) -> Operation {
        let every = output.every.map { Duration(span: $0) }
        if case .some(nil) = every { throw invalid("every is a span such as 10s.") }
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
