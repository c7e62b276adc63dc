import Samples

/// How the samples of a virtual sensor are made of those of others.
///
/// The virtual machine keeps it and makes nothing of it; the Local Analytics Engine computes.
public struct Derivation: Hashable, Sendable, Codable {
    /// One number of each window.
    public struct Output: Hashable, Sendable, Codable {
        /// The name of its field.
        public let name: String
        /// UCUM; `nil` for no dimension.
        public let unit: String?
        /// What it is made of, each one of the inputs; `nil` where there is one input only.
        public let of: [String]?
        /// A statistic or an analysis, such as `mean` or `correlation`.
        public let by: String
        /// For an analysis: means of so long take the place of samples; a span.
        public let every: String?

        public init(
            name: String, unit: String? = nil, of: [String]? = nil, by: String,
            every: String? = nil
        ) {
            self.name = name
            self.unit = unit
            self.of = of
            self.by = by
            self.every = every
        }
    }

    /// Fields of other sensors, such as `cpu.busy`.
    public let inputs: [String]
    /// How long a window is; a span.
    public let window: String
    /// From the end of one window to the end of the next; `nil` for `window`.
    public let slide: String?
    public let outputs: [Output]

    public init(inputs: [String], window: String, slide: String? = nil, outputs: [Output]) {
        self.inputs = inputs
        self.window = window
        self.slide = slide
        self.outputs = outputs
    }

    /// The sensors that the inputs are fields of; one that is no name of a sensor is left out.
    var sensors: [SensorID] {
        inputs.compactMap { input in
            guard let dot = input.lastIndex(of: ".") else { return nil }
            return SensorID(String(input[..<dot]))
        }
    }
}

extension Cadence {
    /// Of a virtual sensor, as often as its windows end; `nil` when its spans are none.
    public init?(_ derivation: Derivation) {
        guard let slide = Duration(span: derivation.slide ?? derivation.window), slide > .zero
        else { return nil }
        self.init(low: slide, medium: slide, high: slide)
    }
}
