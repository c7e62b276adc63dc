public import Samples
public import Statistics

/// The result of an analysis, and its inputs.
public struct AnalysisAnswer: Hashable, Sendable {
    /// The inputs, as requested.
    public let inputs: [FieldReference]
    /// The field of each input.
    public let fields: [Field]
    /// The number of rows, which are samples or windows; `nil` when suppressed.
    public let count: Int?
    /// `nil` when it is not defined on the rows, or is suppressed.
    public let result: AnalysisResult?
    /// Whether pruned samples are missing; only summaries of them exist.
    public let isPartial: Bool
    /// The time ranges in which samples are damaged and missing, by sensor and in order.
    public let damage: [SensorID: [TimeRange]]
}

/// The result of an analysis.
public enum AnalysisResult: Hashable, Sendable {
    /// One more edge than counts; suppressed counts are `nil`.
    case histogram(edges: [Double], counts: [Int?])
    /// The entropy, and the number of different outcomes.
    case entropy(bits: Double, outcomes: Int)
    /// Values with their times, sorted by value or by time.
    case items([TimedValue])
    /// One for each cell from the first to the last with samples.
    case cells([Cell])
    /// One for each pair of inputs.
    case correlation([Pair])
    /// A fitted line.
    case trend(Trend)
    /// A power spectrum.
    case spectrum(Spectrum)
    /// `inertia` is `nil` when a cluster is suppressed.
    case clusters([Cluster], inertia: Double?)
    /// The clusters of DBSCAN.
    case density(Density)
    /// Values that deviate from what the others lead to expect.
    case anomalies(Anomalies)

    /// One window of a resampled series.
    public struct Cell: Hashable, Sendable {
        /// When it begins.
        public let time: Timestamp
        /// The value; `nil` for a window that has none.
        public let value: Double?
    }

    /// The correlation of two inputs.
    public struct Pair: Hashable, Sendable {
        /// The first input.
        public let x: FieldReference
        /// The second input.
        public let y: FieldReference
        /// −1 to 1; `nil` where one side does not vary.
        public let pearson: Double?
        /// The correlation of the ranks, −1 to 1; `nil` also under a statistics-only grant.
        public let spearman: Double?
        /// The covariance with divisor n−1.
        public let covariance: Double?
    }

    /// A line fitted by least squares.
    public struct Trend: Hashable, Sendable {
        /// The change of the value per second.
        public let slope: Double
        /// The value of the line at `origin`; both are `nil` when they would reveal the time of a
        /// sample.
        public let intercept: Double?
        /// The time at which the line has the value `intercept`.
        public let origin: Timestamp?
        /// The share of the variance that the line explains.
        public let rSquared: Double?
        /// The standard error of ``slope``, per second.
        public let standardError: Double?
    }

    /// A power spectrum.
    public struct Spectrum: Hashable, Sendable {
        /// The frequencies in Hz.
        public let frequencies: [Double]
        /// The densities in the square of the unit, per Hz.
        public let densities: [Double]
        /// The number of segments that were averaged.
        public let segments: Int
        /// Windows without samples, filled by linear interpolation.
        public let filled: Int
    }

    /// A cluster of k-means.
    public struct Cluster: Hashable, Sendable {
        /// One coordinate for each input, in its unit; `nil` when suppressed.
        public let centre: [Double]?
        /// The number of rows; `nil` when suppressed.
        public let count: Int?
    }

    /// The clusters of DBSCAN.
    public struct Density: Hashable, Sendable {
        /// The time of each row.
        public let times: [Timestamp]
        /// The cluster of each row, from 0; `nil` for noise.
        public let labels: [Int?]
        /// The number of rows of each cluster.
        public let sizes: [Int]
    }

    /// Values that deviate from what the others lead to expect.
    public struct Anomalies: Hashable, Sendable {
        /// A value with its score.
        public struct Item: Hashable, Sendable {
            /// When the value was measured.
            public let time: Timestamp
            /// The value, in the unit of the field.
            public let value: Double
            /// How much the value deviates, by the method; dimensionless.
            public let score: Double
        }

        /// The method that was used; see `AnomalyDetection`.
        public let method: AnomalyDetection.Method
        /// The period whose profile was removed, in seconds; `nil` for none.
        public let period: Double?
        /// The median of the values.
        public let median: Double
        /// The median of the absolute distances to the median.
        public let deviation: Double
        /// The number of values beyond the threshold; for `auto`, of events.
        public let count: Int
        /// Those with the greatest absolute scores, in the order of time.
        public let items: [Item]
    }
}
