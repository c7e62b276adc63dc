import Hummingbird
import LAE
import Samples

extension AnalysisBody {
    /// What is asked for, as far as it can be told without the sensors.
    ///
    /// - Throws: `Problem`, or `LAEError`.
    func request(now: Timestamp) throws -> AnalysisRequest {
        guard inputs.count <= Analysis.inputLimit else {
            throw Problem.invalidBody("inputs: at most \(Analysis.inputLimit) are taken.")
        }
        let parameters = (parameters ?? [:]).mapValues { value -> AnalysisParameter in
            switch value {
            case .number(let number): .number(number)
            case .text(let text): .text(text)
            case .flag(let flag): .flag(flag)
            }
        }
        let request = AnalysisRequest(
            try Analysis(analysis, parameters),
            of: try inputs.map { try FieldReference(parsing: $0) },
            range: TimeRange(
                from: try Self.moment("from", from, now) ?? .distantPast,
                to: try Self.moment("to", to, now) ?? .distantFuture),
            conditions: try (`where` ?? []).map { try FieldCondition(parsing: $0) },
            every: try every.map { try Self.span("every", $0) },
            join: try join.map { try Self.join($0) })
        try request.check()
        return request
    }

    private static func moment(
        _ name: String, _ value: Scalar?, _ now: Timestamp
    ) throws -> Timestamp? {
        switch value {
        case nil: return nil
        case .text(let text)?: return try Request.moment(name, text, now)
        case .number(let number)?:
            if let time = Timestamp(milliseconds: number) { return time }
        case .flag?: break
        }
        throw Problem.invalidParameter(
            name, "milliseconds since 1970, an RFC 3339 time or a span such as -15m is needed")
    }

    private static func span(_ name: String, _ text: String) throws -> Duration {
        guard let span = Duration(span: text), span > .zero else {
            throw Problem.invalidParameter(name, "a span such as 10s or 1m is needed")
        }
        return span
    }

    private static func join(_ join: Join) throws -> AnalysisRequest.Join {
        let span = try span("within", join.within)
        switch join.method {
        case "nearest": return .nearest(within: span)
        case "last": return .last(within: span)
        default: throw Problem.invalidParameter("method", "nearest or last is needed")
        }
    }
}
