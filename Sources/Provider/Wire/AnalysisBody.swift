import LAE
import Samples

/// An analysis as it is asked for in JSON.
public struct AnalysisBody: Codable, Sendable {
    /// A number, a text, or true or false.
    public enum Scalar: Hashable, Sendable {
        case number(Double)
        case text(String)
        case flag(Bool)
    }

    /// How samples of different sensors come together.
    public struct Join: Codable, Hashable, Sendable {
        /// `nearest` or `last`.
        public let method: String
        /// A span.
        public let within: String

        public init(method: String, within: String) {
            self.method = method
            self.within = within
        }
    }

    public let analysis: String
    public let inputs: [String]
    /// Milliseconds since 1970, RFC 3339, or a span before now.
    public var from: Scalar?
    public var to: Scalar?
    public var `where`: [String]?
    public var every: String?
    public var join: Join?
    public var parameters: [String: Scalar]?

    public init(_ analysis: String, of inputs: [String]) {
        self.analysis = analysis
        self.inputs = inputs
    }

    public init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: [
            "analysis", "inputs", "from", "to", "where", "every", "join", "parameters",
        ])
        let members = try decoder.container(keyedBy: CodingKeys.self)
        analysis = try members.decode(String.self, forKey: .analysis)
        inputs = try members.decode([String].self, forKey: .inputs)
        from = try members.decodeIfPresent(Scalar.self, forKey: .from)
        to = try members.decodeIfPresent(Scalar.self, forKey: .to)
        `where` = try members.decodeIfPresent([String].self, forKey: .where)
        every = try members.decodeIfPresent(String.self, forKey: .every)
        join = try members.decodeIfPresent(Join.self, forKey: .join)
        parameters = try members.decodeIfPresent([String: Scalar].self, forKey: .parameters)
    }
}

extension AnalysisBody.Scalar: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .flag(let flag): try container.encode(flag)
        }
    }
}
