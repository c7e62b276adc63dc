import API
import Hummingbird
import LAE
import Samples
import Statistics
import Text

extension AnalysisBody {
    /// The request, not yet checked against the sensors.
    ///
    /// - Throws: `Problem`, or `LAEError`.
    func request(now: Timestamp) throws -> AnalysisRequest {
        guard inputs.count <= Analysis.inputLimit else {
            throw Problem.invalidBody("inputs: at most \(Analysis.inputLimit) are accepted.")
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
            conditions: try (`where` ?? []).map { try Condition(parsingQualified: $0) },
            every: try every.map { try Self.span("every", $0) },
            join: try join.map { try Self.join($0) })
        try request.check()
        return request
    }

    private static func moment(
        _ name: String, _ value: JSONScalar?, _ now: Timestamp
    ) throws -> Timestamp? {
        switch value {
        case nil: return nil
        case .text(let text)?: return try Request.moment(name, text, now)
        case .number(let number)?:
            if let time = Timestamp(milliseconds: number) { return time }
        case .flag?: break
        }
        throw Request.invalidMoment(name)
    }

    private static func span(_ name: String, _ text: String) throws -> Duration {
        guard let span = Duration(span: text), span > .zero else {
            throw Problem.invalidParameter(name, "must be a duration such as 10s or 1m")
        }
        return span
    }

    private static func join(_ join: Join) throws -> AnalysisRequest.Join {
        let span = try span("within", join.within)
        switch join.method {
        case "nearest": return .nearest(within: span)
        case "last": return .last(within: span)
        default: throw Problem.invalidParameter("method", "must be nearest or last")
        }
    }
}

extension AnalysisReply {
    init(_ answer: AnalysisAnswer, of analysis: String) {
        let names = answer.inputs.map(\.description)
        self.init(
            analysis: analysis,
            inputs: zip(names, answer.fields).map { name, field in
                Input(input: name, unit: field.unit, kind: field.kind.rawValue)
            }, count: answer.count, result: answer.result.map { Self.json($0, names) },
            partial: answer.isPartial ? true : nil, damaged: DamagedRange.list(answer.damage))
    }

    private static func json(_ result: AnalysisResult, _ inputs: [String]) -> JSONValue {
        switch result {
        case .histogram(let edges, let counts):
            let bins = counts.enumerated().map { bin, count in
                JSONValue([
                    "from": JSONValue(edges[bin]), "to": JSONValue(edges[bin + 1]),
                    "count": JSONValue(count),
                ])
            }
            return JSONValue(["bins": JSONValue(bins)])
        case .entropy(let bits, let outcomes):
            return JSONValue(["bits": JSONValue(bits), "outcomes": JSONValue(outcomes)])
        case .items(let items):
            return list(items.map { row($0.time, ["value": JSONValue($0.value)]) })
        case .cells(let cells):
            return list(cells.map { row($0.time, ["value": JSONValue($0.value)]) })
        case .correlation(let pairs):
            let items = pairs.map { pair in
                JSONValue([
                    "x": JSONValue(pair.x.description), "y": JSONValue(pair.y.description),
                    "pearson": JSONValue(pair.pearson), "spearman": JSONValue(pair.spearman),
                    "covariance": JSONValue(pair.covariance),
                ])
            }
            return JSONValue(["pairs": JSONValue(items)])
        case .trend(let trend):
            return JSONValue([
                "slope": JSONValue(trend.slope), "intercept": JSONValue(trend.intercept),
                "origin": JSONValue(trend.origin?.milliseconds),
                "rSquared": JSONValue(trend.rSquared),
                "standardError": JSONValue(trend.standardError),
            ])
        case .spectrum(let spectrum):
            let items = zip(spectrum.frequencies, spectrum.densities).map { frequency, density in
                JSONValue(["frequency": JSONValue(frequency), "density": JSONValue(density)])
            }
            return JSONValue([
                "items": JSONValue(items), "segments": JSONValue(spectrum.segments),
                "filled": JSONValue(spectrum.filled),
            ])
        case .clusters(let clusters, let inertia):
            let items = clusters.map { cluster in
                JSONValue([
                    "centre": centre(cluster.centre, inputs), "count": JSONValue(cluster.count),
                ])
            }
            return JSONValue(["clusters": JSONValue(items), "inertia": JSONValue(inertia)])
        case .density(let density):
            let clusters = density.sizes.enumerated().map { cluster, size in
                JSONValue(["cluster": JSONValue(cluster), "count": JSONValue(size)])
            }
            let items = zip(density.times, density.labels).map {
                row($0, ["cluster": JSONValue($1)])
            }
            return JSONValue([
                "clusters": JSONValue(clusters), "items": JSONValue(items),
                "noise": JSONValue(density.labels.count { $0 == nil }),
            ])
        case .anomalies(let anomalies):
            let items = anomalies.items.map {
                row($0.time, ["value": JSONValue($0.value), "score": JSONValue($0.score)])
            }
            return JSONValue([
                "method": JSONValue(anomalies.method.rawValue),
                "period": JSONValue(anomalies.period),
                "median": JSONValue(anomalies.median), "deviation": JSONValue(anomalies.deviation),
                "found": JSONValue(anomalies.count), "items": JSONValue(items),
            ])
        }
    }

    private static func list(_ items: [JSONValue]) -> JSONValue {
        JSONValue(["items": JSONValue(items)])
    }

    private static func row(
        _ time: Timestamp, _ members: KeyValuePairs<String, JSONValue>
    ) -> JSONValue {
        JSONValue([("t", JSONValue(time.milliseconds))] + members.map { ($0.key, $0.value) })
    }

    /// An input that is named twice has one member.
    private static func centre(_ centre: [Double]?, _ inputs: [String]) -> JSONValue {
        guard let centre else { return JSONValue(.null) }
        let members = Dictionary(zip(inputs, centre)) { first, _ in first }
        return JSONValue(members.map { ($0.key, JSONValue($0.value)) })
    }
}

extension StatisticsAnswer {
    init(_ table: StatisticsTable, of sensor: SensorID) {
        let names = table.statistics.map(\.description)
        self.init(
            sensor: sensor.description,
            fields: table.fields.map(SensorDescription.FieldDescription.init), fn: names,
            items: table.windows.map { window in
                let rows = window.values.map { Dictionary(zip(names, $0)) { first, _ in first } }
                return Window(
                    from: window.range.from.bounded?.milliseconds,
                    to: window.range.to.bounded?.milliseconds, count: window.count,
                    values: Dictionary(zip(table.fields.map(\.name), rows)) { first, _ in first },
                    approximate: window.isFromSummaries ? true : nil,
                    partial: window.isPartial ? true : nil, coverage: window.coverage?.share,
                    seen: window.coverage.map {
                        Timestamp(microseconds: $0.covered).milliseconds
                    })
            }, damaged: DamagedRange.list(table.damage))
    }
}
