import Samples
import Statistics

/// An analysis and its parameters.
///
/// ```swift
/// let analysis = try Analysis("k-means", ["k": .number(3)])
/// ```
public struct Analysis: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// `bins`: by the rule of Freedman and Diaconis when `nil`.
        case histogram(bins: Int?, span: ClosedRange<Double>?)
        case entropy(bins: Int?)
        case extremes(Extremes.Side, count: Int)
        case correlation
        case trend
        case rate
        case resample(Resampling.Method)
        case downsample(points: Int)
        case spectrum(segment: Int?, window: PowerSpectrum.Window)
        case kMeans(k: Int, seed: UInt64, isScaled: Bool)
        case density(epsilon: Double, minimum: Int, isScaled: Bool)
        case anomalies(Anomalies)
    }

    /// The parameters of `anomalies`.
    struct Anomalies: Hashable, Sendable {
        let method: AnomalyDetection.Method
        /// By the method when `nil`.
        let threshold: Double?
        let limit: Int
        /// The number of rows of a window; by the method when `nil`.
        let window: Int?
        /// In seconds; found when `nil`.
        let period: Double?
    }

    /// The maximum number of fields of one analysis.
    public static let inputLimit = 8
    /// The maximum count of numbers that one analysis reads from all its fields.
    static let numberLimit = 1_000_000
    /// The maximum number of rows of one answer.
    static let answerLimit = 100_000

    /// Its name in a request.
    public let name: String
    let kind: Kind

    /// The names of all analyses.
    public static let names = [
        "histogram", "entropy", "largest", "smallest", "correlation", "trend", "rate", "resample",
        "downsample", "spectrum", "k-means", "dbscan", "anomalies",
    ]

    /// - Throws: `unknownAnalysis`; `invalidAnalysis` for parameters that it does not have, or that
    ///   are out of range.
    public init(
        _ name: String, _ parameters: [String: AnalysisParameter] = [:]
    ) throws(LAEError) {
        var parameters = AnalysisParameters(parameters, of: name)
        self.name = name
        kind = try Self.kind(name, &parameters)
        try parameters.finish()
    }

    /// Whether the answer contains single samples, or one value for each sample.
    public var needsSamples: Bool {
        switch kind {
        case .histogram, .entropy, .correlation, .trend, .spectrum, .kMeans: false
        case .extremes, .rate, .resample, .downsample, .density, .anomalies: true
        }
    }

    /// The number of fields that it takes.
    var inputs: ClosedRange<Int> {
        switch kind {
        case .correlation: 2...Self.inputLimit
        case .kMeans, .density: 1...Self.inputLimit
        default: 1...1
        }
    }

    /// The maximum number of samples, or means of windows, of each sensor.
    func rowLimit(fields: Int) -> Int {
        let all = Self.numberLimit / max(1, fields)
        return switch kind {
        case .kMeans: min(all, 200_000)
        // In more dimensions, the grid of boxes saves few comparisons.
        case .density: min(all, fields <= 3 ? 100_000 : 20_000)
        case .rate: min(all, Self.answerLimit)
        default: all
        }
    }

    private static func kind(
        _ name: String, _ parameters: inout AnalysisParameters
    ) throws(LAEError) -> Kind {
        switch name {
        case "histogram":
            let bins = try parameters.integer("bins", in: 1...1000)
            return .histogram(bins: bins, span: try span(&parameters))
        case "entropy": return .entropy(bins: try parameters.integer("bins", in: 1...1000))
        case "largest", "smallest":
            let count = try parameters.integer("k", in: 1...1000) ?? 10
            return .extremes(name == "largest" ? .largest : .smallest, count: count)
        case "correlation": return .correlation
        case "trend": return .trend
        case "rate": return .rate
        case "resample":
            return .resample(try parameters.choice("method", Resampling.Method.self) ?? .mean)
        case "downsample":
            return .downsample(points: try parameters.integer("points", in: 3...10_000) ?? 500)
        case "spectrum":
            return .spectrum(
                segment: try parameters.integer("segment", in: 2...65_536),
                window: try parameters.choice("window", PowerSpectrum.Window.self) ?? .hann)
        case "k-means":
            let k = try parameters.required(parameters.integer("k", in: 1...50), "k")
            let seed = try parameters.integer("seed", in: 0...(1 << 53)) ?? 0
            return .kMeans(
                k: k, seed: UInt64(seed), isScaled: try parameters.flag("scale") ?? true)
        case "dbscan":
            let epsilon = try parameters.required(
                parameters.number("epsilon", above: 0), "epsilon")
            guard (1e-100...1e100).contains(epsilon) else {
                throw parameters.fault("epsilon", "it is too small or too large")
            }
            return .density(
                epsilon: epsilon, minimum: try parameters.integer("minimum", in: 1...10_000) ?? 5,
                isScaled: try parameters.flag("scale") ?? true)
        case "anomalies":
            return .anomalies(try anomalies(&parameters))
        default:
            throw LAEError(
                .unknownAnalysis, "There is no analysis named \(name.prefix(40).debugDescription).",
                hint: "There are: \(names.joined(separator: ", "))")
        }
    }

    private static func anomalies(
        _ parameters: inout AnalysisParameters
    ) throws(LAEError) -> Anomalies {
        let method = try parameters.choice("method", AnomalyDetection.Method.self) ?? .auto
        let window = try parameters.integer("window", in: AnomalyDetection.windows)
        guard window == nil || method == .rolling || method == .change else {
            throw parameters.fault("window", "only the methods rolling and change have it")
        }
        let period = try parameters.duration("period")
        guard period == nil || method == .seasonal || method == .auto else {
            throw parameters.fault("period", "only the methods seasonal and auto have it")
        }
        let usual = method == .auto ? AnomalyDetection.eventLimit : 1000
        return Anomalies(
            method: method, threshold: try parameters.number("threshold", above: 0),
            limit: try parameters.integer("limit", in: 1...10_000) ?? usual, window: window,
            period: period)
    }

    private static func span(
        _ parameters: inout AnalysisParameters
    ) throws(LAEError) -> ClosedRange<Double>? {
        let (least, greatest) = (try parameters.number("min"), try parameters.number("max"))
        guard let least, let greatest else {
            guard least == nil, greatest == nil else {
                throw parameters.fault("min", "min and max must be given together")
            }
            return nil
        }
        guard least < greatest else { throw parameters.fault("min", "it must be less than max") }
        return least...greatest
    }
}

/// The value of a parameter of an analysis.
public enum AnalysisParameter: Hashable, Sendable {
    /// A number.
    case number(Double)
    /// A text, such as the name of a method.
    case text(String)
    /// A Boolean.
    case flag(Bool)
}

/// Parameters that are removed as they are read, so that unknown ones are detected.
private struct AnalysisParameters {
    private let analysis: String
    private var rest: [String: AnalysisParameter]

    init(_ parameters: [String: AnalysisParameter], of analysis: String) {
        self.analysis = analysis
        rest = parameters
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(LAEError) -> Int? {
        guard let value = rest.removeValue(forKey: name) else { return nil }
        guard case .number(let number) = value, let integer = Int(exactly: number),
            range.contains(integer)
        else {
            throw fault(
                name, "a whole number from \(range.lowerBound) to \(range.upperBound) is needed")
        }
        return integer
    }

    mutating func number(_ name: String, above limit: Double? = nil) throws(LAEError) -> Double? {
        guard let value = rest.removeValue(forKey: name) else { return nil }
        guard case .number(let number) = value, number.isFinite, number > limit ?? -.infinity else {
            throw fault(name, "a number\(limit.map { " above \($0)" } ?? "") is needed")
        }
        return number
    }

    /// In seconds.
    mutating func duration(_ name: String) throws(LAEError) -> Double? {
        guard let value = rest.removeValue(forKey: name) else { return nil }
        guard case .text(let text) = value, let duration = Duration(span: text), duration > .zero
        else { throw fault(name, "a duration such as 12h or 7d is needed") }
        return duration / .seconds(1)
    }

    mutating func flag(_ name: String) throws(LAEError) -> Bool? {
        guard let value = rest.removeValue(forKey: name) else { return nil }
        guard case .flag(let flag) = value else { throw fault(name, "true or false is needed") }
        return flag
    }

    mutating func choice<T: RawRepresentable & CaseIterable>(
        _ name: String, _ type: T.Type
    ) throws(LAEError) -> T? where T.RawValue == String {
        guard let value = rest.removeValue(forKey: name) else { return nil }
        guard case .text(let text) = value, let choice = T(rawValue: text) else {
            let names = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault(name, "one of \(names) is needed")
        }
        return choice
    }

    /// - Throws: `invalidAnalysis` when a parameter is missing.
    func required<T>(_ value: T?, _ name: String) throws(LAEError) -> T {
        guard let value else { throw fault(name, "it is needed") }
        return value
    }

    /// - Throws: `invalidAnalysis` when parameters are left.
    func finish() throws(LAEError) {
        guard let name = rest.keys.min() else { return }
        throw fault(String(name.prefix(40)), "\(analysis) has no such parameter")
    }

    func fault(_ name: String, _ message: String) -> LAEError {
        LAEError(.invalidAnalysis, "parameters: \(name.debugDescription): \(message).")
    }
}
