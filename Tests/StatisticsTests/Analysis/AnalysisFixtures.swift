import Foundation

/// Reference results of NumPy, SciPy and scikit-learn, written by
/// `Fixtures/make_analysis_fixtures.py`.
struct AnalysisFixtures: Decodable {
    struct Histogram: Decodable {
        let name: String
        let values: [Double]
        let bins: Int
        let span: [Double]?
        let edges: [Double]
        let counts: [Int]
        let freedmanDiaconis: Int
        let bits: Double?
    }
    struct Pairs: Decodable {
        let name: String
        let x: [Double]
        let y: [Double]
        let covariance: Double
        let populationCovariance: Double
        let pearson: Double?
        let spearman: Double?
        let slope: Double
        let intercept: Double
        let rSquared: Double?
        let standardError: Double?
    }
    struct Transform: Decodable {
        let values: [Double]
        let real: [Double]
        let imaginary: [Double]
    }
    struct Spectrum: Decodable {
        let values: [Double]
        let rate: Double
        let segment: Int
        let frequencies: [Double]
        let periodogram: [Double]
        let welchFrequencies: [Double]
        let welch: [Double]
    }
    struct Clusters: Decodable {
        let name: String
        let points: [[Double]]
        let start: [[Double]]
        let centres: [[Double]]
        let labels: [Int]
        let inertia: Double
        let bestInertia: Double
        let epsilon: Double
        let minimum: Int
        let density: [Int?]
    }
    struct Anomalies: Decodable {
        let values: [Double]
        let median: Double
        let deviation: Double
        let scores: [Double?]
    }
    struct Downsampled: Decodable {
        let times: [Int64]
        let values: [Double]
        let keep: Int
        let places: [Int]
    }
    struct Interpolated: Decodable {
        let times: [Int64]
        let values: [Double]
        let step: Int64
        let linear: [Double?]
        let mean: [Double?]
    }

    let histograms: [Histogram]
    let pairs: [Pairs]
    let transforms: [Transform]
    let spectra: [Spectrum]
    let clusters: [Clusters]
    let anomalies: [Anomalies]
    let downsampled: [Downsampled]
    let interpolated: Interpolated

    /// - Throws: when the file is missing or invalid, so that no test passes on
    ///   nothing.
    static func load() throws -> AnalysisFixtures {
        let file = Bundle.module.url(
            forResource: "analyses", withExtension: "json", subdirectory: "Fixtures")
        let data = try Data(contentsOf: file ?? URL(filePath: "/"))
        return try JSONDecoder().decode(AnalysisFixtures.self, from: data)
    }
}

/// Fisher's irises: 150 rows of sepal length, sepal width, petal length and petal width in cm.
///
/// R. A. Fisher, "The Use of Multiple Measurements in Taxonomic Problems", Annals of Eugenics 7 (1936).
enum Irises {
    /// - Throws: when the file is missing.
    static func load() throws -> [[Double]] {
        let file = Bundle.module.url(
            forResource: "irises", withExtension: "csv", subdirectory: "Fixtures")
        let text = try String(contentsOf: file ?? URL(filePath: "/"), encoding: .utf8)
        return text.split(separator: "\n").map { line in
            line.split(separator: ",").compactMap { Double($0) }
        }
    }
}
