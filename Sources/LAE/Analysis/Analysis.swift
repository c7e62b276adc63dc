import Samples
import Statistics

/// What to compute of the fields of sensors, with its parameters.
public struct Analysis: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// `bins`: as Freedman and Diaconis have it when it is `nil`.
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
        case anomalies(threshold: Double, limit: Int)
    }

    /// The most fields of one analysis.
    public static let inputLimit = 8
    /// The most numbers that go into one analysis, over all its fields.
    static let numberLimit = 1_000_000
    /// The most rows of one answer.
    static let answerLimit = 100_000

    /// As in a request.
    public let name: String
    let kind: Kind

    /// Every name that there is.
    public static let names = [
        "histogram", "entropy", "largest", "smallest", "correlation", "trend", "rate", "resample",
        "downsample", "spectrum", "k-means", "dbscan", "anomalies",
    ]

    /// - Throws: `unknownAnalysis`; `invalidAnalysis` for parameters that it does not take, or that
    ///   are out of range.
    public init(
        _ name: String, _ parameters: [String: AnalysisParameter] = [:]
    ) throws(LAEError) {
        var parameters = AnalysisParameters(parameters, of: name)
        self.name = name
        kind = try Self.kind(name, &parameters)
        try parameters.finish()
    }

    /// Whether the answer holds single samples, or says something of each.
    public var needsSamples: Bool {
        switch kind {
        case .histogram, .entropy, .correlation, .trend, .spectrum, .kMeans: false
        case .extremes, .rate, .resample, .downsample, .density, .anomalies: true
        }
    }

    /// How many fields it takes.
    var inputs: ClosedRange<Int> {
        switch kind {
        case .correlation: 2...Self.inputLimit
        case .kMeans, .density: 1...Self.inputLimit
        default: 1...1
        }
    }

    /// The most samples, or means of windows, of each sensor.
    func rowLimit(fields: Int) -> Int {
        let all = Self.numberLimit / max(1, fields)
        return switch kind {
        case .kMeans: min(all, 200_000)
        // In more dimensions boxes do little to save looks at each other.
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
            return .anomalies(
                threshold: try parameters.number("threshold", above: 0)
                    ?? AnomalyScore.usualThreshold,
                limit: try parameters.integer("limit", in: 1...10_000) ?? 1000)
        default:
            throw LAEError(
                .unknownAnalysis, "There is no analysis named \(name.prefix(40).debugDescription).",
                hint: "There are: \(names.joined(separator: ", "))")
        }
    }

    private static func span(
        _ parameters: inout AnalysisParameters
    ) throws(LAEError) -> ClosedRange<Double>? {
        let (least, greatest) = (try parameters.number("min"), try parameters.number("max"))
        guard let least, let greatest else {
            guard least == nil, greatest == nil else {
                throw parameters.fault("min", "min and max go together")
            }
            return nil
        }
        guard least < greatest else { throw parameters.fault("min", "it must be less than max") }
        return least...greatest
    }
}
