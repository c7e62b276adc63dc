import Samples
import Text

/// The JSON answers of Prometheus' query API.
///
/// ```swift
/// let body = QueryReply.success(warnings: []) { $0.write(result, at: times, isRange: true) }
/// ```
public struct QueryReply: Sendable {
    private var bytes: [UInt8] = []

    private init() {}

    /// An answer with data.
    ///
    /// - Parameters:
    ///   - warnings: what is missing in the answer.
    ///   - data: writes one JSON value.
    public static func success(
        warnings: [String] = [], data: (inout QueryReply) -> Void
    ) -> [UInt8] {
        var reply = QueryReply()
        reply.write(#"{"status":"success","data":"#)
        data(&reply)
        if !warnings.isEmpty {
            reply.write(#","warnings":"#)
            reply.write(texts: warnings)
        }
        reply.write("}")
        return reply.bytes
    }

    /// An answer that describes an error.
    public static func failure(_ type: String, _ message: String) -> [UInt8] {
        var reply = QueryReply()
        reply.write(#"{"status":"error","errorType":"#)
        reply.write(text: type)
        reply.write(#","error":"#)
        reply.write(text: message)
        reply.write("}")
        return reply.bytes
    }

    /// Writes the result of a query.
    ///
    /// - Parameter isRange: whether many times were asked for; else the result has one time.
    public mutating func write(_ result: QueryResult, at times: EvaluationTimes, isRange: Bool) {
        // The times are the same in all series.
        let texts = (0..<times.count).map { PrometheusNumber.seconds(times.time($0)) }
        switch result {
        case .scalar(let numbers) where !isRange:
            write(#"{"resultType":"scalar","result":"#)
            write(texts[0], numbers[0])
            write("}")
        case .scalar(let numbers):
            write(#"{"resultType":"matrix","result":["#)
            write(ResultSeries(labels: [:], values: numbers), texts)
            write("]}")
        case .vector(let vector):
            write(#"{"resultType":"\#(isRange ? "matrix" : "vector")","result":["#)
            for (index, series) in vector.enumerated() {
                if index > 0 { write(",") }
                if isRange {
                    write(series, texts)
                } else if let value = series.values[0] {
                    write(#"{"metric":"#)
                    write(labels: series.labels)
                    write(#","value":"#)
                    write(texts[0], value)
                    write("}")
                }
            }
            write("]}")
        }
    }

    /// Writes a list of texts.
    public mutating func write(texts: [String]) {
        write("[")
        for (index, text) in texts.enumerated() {
            if index > 0 { write(",") }
            write(text: text)
        }
        write("]")
    }

    /// Writes a list of sets of labels.
    public mutating func write(labels list: [Labels]) {
        write("[")
        for (index, labels) in list.enumerated() {
            if index > 0 { write(",") }
            write(labels: labels)
        }
        write("]")
    }

    /// Writes texts by their names.
    public mutating func write(labels: Labels) {
        write("{")
        for (index, label) in labels.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { write(",") }
            write(text: label.key)
            write(":")
            write(text: label.value)
        }
        write("}")
    }

    /// Writes what is known about metrics.
    public mutating func write(metadata metrics: [(name: String, about: Labels)]) {
        write("{")
        for (index, metric) in metrics.enumerated() {
            if index > 0 { write(",") }
            write(text: metric.name)
            write(":[")
            write(labels: metric.about)
            write("]")
        }
        write("}")
    }

    private mutating func write(_ series: ResultSeries, _ times: [String]) {
        write(#"{"metric":"#)
        write(labels: series.labels)
        write(#","values":["#)
        var isFirst = true
        for (time, value) in zip(times, series.values) {
            guard let value else { continue }
            if !isFirst { write(",") }
            isFirst = false
            write(time, value)
        }
        write("]}")
    }

    private mutating func write(_ time: String, _ value: Double) {
        write("[")
        write(time)
        write(",\"")
        write(PrometheusNumber.text(value))
        write("\"]")
    }

    private mutating func write(text: String) {
        JSONString.write(text) { bytes.append(contentsOf: $0) }
    }

    private mutating func write(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}
