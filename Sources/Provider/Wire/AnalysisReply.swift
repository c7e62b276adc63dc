import LAE
import Samples
import Statistics

/// What an analysis found, as the API gives it: nothing is left out, what is missing is `null`.
struct AnalysisReply: Encodable, Sendable {
    private struct Input: Encodable {
        let input: String
        let unit: String?
        let kind: String
    }

    private let analysis: String
    private let inputs: [Input]
    /// Rows that went in; `null` when they were too few to be told.
    private let count: JSONTree
    private let result: JSONTree
    /// `true` where samples are left out of which only summaries are left; else not there.
    private let partial: Bool?
    /// Where samples are damaged that would have gone in; not there when none are known to be.
    private let damaged: [DamagedRange]?

    init(_ answer: AnalysisAnswer, of analysis: String) {
        self.analysis = analysis
        inputs = zip(answer.inputs, answer.fields).map { input, field in
            Input(input: input.description, unit: field.unit, kind: field.kind.rawValue)
        }
        count = JSONTree(answer.count)
        partial = answer.isPartial ? true : nil
        damaged = DamagedRange.list(answer.damage)
        let names = answer.inputs.map(\.description)
        result = answer.result.map { JSONTree.object(Self.members($0, names)) } ?? .null
    }

    private static func members(
        _ result: AnalysisResult, _ inputs: [String]
    ) -> [String: JSONTree] {
        switch result {
        case .histogram(let edges, let counts):
            return ["bins": bins(edges, counts)]
        case .entropy(let bits, let outcomes):
            return ["bits": JSONTree(bits), "outcomes": JSONTree(outcomes)]
        case .items(let items):
            return ["items": .list(items.map { row($0.time, ["value": JSONTree($0.value)]) })]
        case .cells(let cells):
            return ["items": .list(cells.map { row($0.time, ["value": JSONTree($0.value)]) })]
        case .correlation(let pairs): return ["pairs": .list(pairs.map(pair))]
        case .trend(let trend):
            return [
                "slope": JSONTree(trend.slope), "intercept": JSONTree(trend.intercept),
                "origin": JSONTree(trend.origin?.milliseconds),
                "rSquared": JSONTree(trend.rSquared),
                "standardError": JSONTree(trend.standardError),
            ]
        case .spectrum(let spectrum):
            let items = zip(spectrum.frequencies, spectrum.densities).map { frequency, density in
                JSONTree.object([
                    "frequency": JSONTree(frequency), "density": JSONTree(density),
                ])
            }
            return [
                "items": .list(items), "segments": JSONTree(spectrum.segments),
                "filled": JSONTree(spectrum.filled),
            ]
        case .clusters(let clusters, let inertia):
            let items = clusters.map { cluster in
                JSONTree.object([
                    "centre": centre(cluster.centre, inputs), "count": JSONTree(cluster.count),
                ])
            }
            return ["clusters": .list(items), "inertia": JSONTree(inertia)]
        case .density(let density): return members(density)
        case .anomalies(let anomalies):
            let items = anomalies.items.map {
                row($0.time, ["value": JSONTree($0.value), "score": JSONTree($0.score)])
            }
            return [
                "median": JSONTree(anomalies.median), "deviation": JSONTree(anomalies.deviation),
                "found": JSONTree(anomalies.count), "items": .list(items),
            ]
        }
    }

    private static func row(_ time: Timestamp, _ members: [String: JSONTree]) -> JSONTree {
        .object(members.merging(["t": JSONTree(time.milliseconds)]) { own, _ in own })
    }

    private static func bins(_ edges: [Double], _ counts: [Int?]) -> JSONTree {
        .list(
            counts.enumerated().map { bin, count in
                .object([
                    "from": JSONTree(edges[bin]), "to": JSONTree(edges[bin + 1]),
                    "count": JSONTree(count),
                ])
            })
    }

    private static func pair(_ pair: AnalysisResult.Pair) -> JSONTree {
        .object([
            "x": .text(pair.x.description), "y": .text(pair.y.description),
            "pearson": JSONTree(pair.pearson), "spearman": JSONTree(pair.spearman),
            "covariance": JSONTree(pair.covariance),
        ])
    }

    private static func centre(_ centre: [Double]?, _ inputs: [String]) -> JSONTree {
        guard let centre else { return .null }
        let members = zip(inputs, centre.map { JSONTree($0) })
        return .object(Dictionary(members) { first, _ in first })
    }

    private static func members(_ density: AnalysisResult.Density) -> [String: JSONTree] {
        let clusters = density.sizes.enumerated().map { cluster, size in
            JSONTree.object(["cluster": JSONTree(cluster), "count": JSONTree(size)])
        }
        let items = zip(density.times, density.labels).map { row($0, ["cluster": JSONTree($1)]) }
        return [
            "clusters": .list(clusters), "items": .list(items),
            "noise": JSONTree(density.labels.count { $0 == nil }),
        ]
    }
}
