public import Samples
public import Statistics

/// What an analysis found.
public enum AnalysisResult: Hashable, Sendable {
    /// One more edge than counts; a count that is too small to be told is `nil`.
    case histogram(edges: [Double], counts: [Int?])
    case entropy(bits: Double, outcomes: Int)
    /// Single numbers, by size or by time.
    case items([TimedValue])
    /// One for each cell from the first to the last with samples.
    case cells([Cell])
    /// One for each pair of inputs.
    case correlation([Pair])
    case trend(Trend)
    case spectrum(Spectrum)
    /// `inertia` is `nil` when a cluster is too small to be told.
    case clusters([Cluster], inertia: Double?)
    case density(Density)
    case anomalies(Anomalies)

    public struct Cell: Hashable, Sendable {
        /// When it begins.
        public let time: Timestamp
        public let value: Double?
    }

    public struct Pair: Hashable, Sendable {
        public let x: FieldReference
        public let y: FieldReference
        /// −1 to 1; `nil` where one side does not vary.
        public let pearson: Double?
        /// The same of ranks; `nil` also of samples that may not be seen singly.
        public let spearman: Double?
        /// Divisor n−1.
        public let covariance: Double?
    }

    public struct Trend: Hashable, Sendable {
        /// Per second.
        public let slope: Double
        /// The line's value at `origin`; both are `nil` when that would tell when a sample came.
        public let intercept: Double?
        public let origin: Timestamp?
        /// The share of the variance that the line explains.
        public let rSquared: Double?
        /// Of the slope, per second.
        public let standardError: Double?
    }

    public struct Spectrum: Hashable, Sendable {
        /// In Hz.
        public let frequencies: [Double]
        /// In the square of the unit, by Hz.
        public let densities: [Double]
        public let segments: Int
        /// Windows without samples, which got the value on the line between their neighbours.
        public let filled: Int
    }

    public struct Cluster: Hashable, Sendable {
        /// One coordinate for each input, in its unit; `nil` when it has too few points to be told.
        public let centre: [Double]?
        public let count: Int?
    }

    public struct Density: Hashable, Sendable {
        public let times: [Timestamp]
        /// The cluster of each row, from 0; `nil` for noise.
        public let labels: [Int?]
        /// How many rows each cluster has.
        public let sizes: [Int]
    }

    public struct Anomalies: Hashable, Sendable {
        public struct Item: Hashable, Sendable {
            public let time: Timestamp
            public let value: Double
            public let score: Double
        }

        public let median: Double
        /// The median of the absolute distances to the median; 0 leaves no number a score.
        public let deviation: Double
        /// How many lie beyond the threshold.
        public let count: Int
        /// The first of these in time.
        public let items: [Item]
    }
}
