import API
import Auth
import Dialects
import Foundation
import HTTPTypes
import Hummingbird
import Ingest
import LAE
import NIOCore
import Samples
import VM

/// The part of Prometheus' query API that Grafana needs.
struct PrometheusRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let host: HostInformation

    /// The version of Prometheus whose query API is served: clients choose their calls by it.
    private static let version = "2.24.0"
    private static let formLimit = 64 << 10

    func add(to routes: inout RouteTable) {
        func on(_ call: APIPath.PrometheusCall, _ handler: @escaping Handler) {
            routes.on(.prometheus(call), [.get: answering(handler), .post: answering(handler)])
        }
        on(.query, query)
        on(.queryRange, queryRange)
        on(.series, series)
        on(.labels, labels)
        routes.on(.prometheus(.labelValues("{label}")), [.get: answering(labelValues)])
        routes.on(.prometheus(.metadata), [.get: answering(metadata)])
        routes.on(.prometheus(.buildInformation), [.get: answering(buildInformation)])
    }

    // MARK: - Requests

    private typealias Handler = @Sendable (Call) async throws -> [UInt8]

    /// A call with its parameters and what its client may see.
    private struct Call: Sendable {
        let source: GrantedSeries
        let parameters: [(name: String, value: String)]
        let context: ProviderContext
        let now: Timestamp

        subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

        func required(_ name: String) throws(PrometheusError) -> String {
            guard let value = self[name], !value.isEmpty else {
                throw PrometheusError(.badData, "The parameter \(name) is missing.")
            }
            return value
        }

        func time(_ name: String, _ text: String) throws(PrometheusError) -> Timestamp {
            if let seconds = Double(text), let time = Timestamp(milliseconds: seconds * 1000) {
                return time
            }
            if let time = Timestamp(rfc3339: text) { return time }
            throw PrometheusError(
                .badData,
                "\(name) must be seconds since 1970 or a time such as 2024-06-01T18:30:00Z.")
        }

        /// The series that the parameters `match[]` select.
        func selected() throws(PrometheusError) -> [MetricSeries] {
            var selectors: [[LabelMatcher]] = []
            for (name, value) in parameters where name == "match[]" {
                selectors.append(try QueryParser.matchers(value))
            }
            return source.series(matchingOneOf: selectors)
        }

        /// At most as many as the parameter `limit` says.
        func limited<Item>(_ items: [Item]) throws(PrometheusError) -> [Item] {
            guard let text = self["limit"], text != "0" else { return items }
            guard let limit = Int(text), limit > 0 else {
                throw PrometheusError(.badData, "limit must be a whole number.")
            }
            return Array(items.prefix(limit))
        }
    }

    /// A route whose errors are in the form of Prometheus, except those of tokens.
    private func answering(_ handler: @escaping Handler) -> RouteTable.Handler {
        { request, context in
            // A client without a token learns nothing about its parameters.
            let source = try await GrantedSeries(machine, engine, authorizer, request, context)
            do {
                let call = Call(
                    source: source, parameters: try await parameters(request), context: context,
                    now: authorizer.now())
                return .json(ByteBuffer(bytes: try await handler(call)))
            } catch let error as PrometheusError {
                let status: HTTPResponse.Status =
                    error.code == .badData ? .badRequest : .unprocessableContent
                return .json(
                    ByteBuffer(
                        bytes: QueryReply.failure(error.code.rawValue, error.message)),
                    status: status)
            }
        }
    }

    /// The parameters of the query and of a form.
    private func parameters(
        _ request: Request
    ) async throws -> [(name: String, value: String)] {
        do throws(PushFault) {
            var parameters = try FormBody.parameters(Array((request.uri.query ?? "").utf8))
            guard request.method == .post else { return parameters }
            guard request.mediaType == FormBody.mediaType else {
                throw PushFault(.malformed, "The body must be of the type \(FormBody.mediaType).")
            }
            let body: [UInt8]
            do {
                body = try await request.bytes(upTo: Self.formLimit)
            } catch {
                throw PushFault(
                    .malformed, "The body is incomplete or has more than \(Self.formLimit) bytes.")
            }
            parameters += try FormBody.parameters(body)
            return parameters
        } catch {
            throw PrometheusError(.badData, error.message)
        }
    }

    // MARK: - Queries

    @Sendable
    private func query(_ call: Call) async throws -> [UInt8] {
        let expression = try QueryParser.parse(try call.required("query"))
        let time = try call["time"].map { text throws(PrometheusError) in
            try call.time("time", text)
        }
        return try await evaluate(
            expression, at: EvaluationTimes(at: time ?? call.now), isRange: false, call)
    }

    @Sendable
    private func queryRange(_ call: Call) async throws -> [UInt8] {
        let expression = try QueryParser.parse(try call.required("query"))
        let text = try call.required("step")
        let step =
            Double(text).flatMap { Int64(exactly: ($0 * 1e6).rounded()) }
            ?? PrometheusDuration.microseconds(text)
        let times = try EvaluationTimes(
            from: try call.time("start", try call.required("start")),
            to: try call.time("end", try call.required("end")), every: step ?? 0)
        return try await evaluate(expression, at: times, isRange: true, call)
    }

    private func evaluate(
        _ expression: QueryExpression, at times: EvaluationTimes, isRange: Bool, _ call: Call
    ) async throws -> [UInt8] {
        let result = try await QueryEvaluation(of: call.source, at: times).result(of: expression)
        if case .vector(let vector) = result, vector.isEmpty,
            let reason = call.source.refusals.first
        {
            throw PrometheusError(.execution, reason)
        }
        return QueryReply.success(warnings: call.source.warnings) {
            $0.write(result, at: times, isRange: isRange)
        }
    }

    // MARK: - MetricSeries

    @Sendable
    private func series(_ call: Call) async throws -> [UInt8] {
        guard call["match[]"] != nil else {
            throw PrometheusError(.badData, "The parameter match[] is missing.")
        }
        let found = try call.limited(try call.selected())
        return QueryReply.success { $0.write(labels: found.map(\.labels)) }
    }

    @Sendable
    private func labels(_ call: Call) async throws -> [UInt8] {
        let names = Set(try call.selected().flatMap(\.labels.keys)).sorted()
        return try answer(names, call)
    }

    @Sendable
    private func labelValues(_ call: Call) async throws -> [UInt8] {
        let label = try call.context.required("label")
        return try answer(Set(try call.selected().compactMap { $0.labels[label] }).sorted(), call)
    }

    private func answer(_ texts: [String], _ call: Call) throws -> [UInt8] {
        let found = try call.limited(texts)
        return QueryReply.success { $0.write(texts: found) }
    }

    @Sendable
    private func metadata(_ call: Call) async throws -> [UInt8] {
        var metrics: [String: Labels] = [:]
        for series in call.source.series(matchingOneOf: []) {
            guard call["metric"].map({ $0 == series.name.sample }) ?? true else { continue }
            metrics[series.name.sample] = [
                "type": series.name.isCounter ? "counter" : "gauge",
                "unit": series.name.unit ?? "",
                "help": "The \(series.field.name) of sensors of the kind \(series.sensor.kind).",
            ]
        }
        let found = try call.limited(metrics.sorted { $0.key < $1.key })
        return QueryReply.success { reply in
            reply.write(metadata: found.map { (name: $0.key, about: $0.value) })
        }
    }

    @Sendable
    private func buildInformation(_ call: Call) async throws -> [UInt8] {
        QueryReply.success { reply in
            reply.write(labels: [
                "application": "Nervous", "version": Self.version, "revision": host.version,
                "branch": "", "buildUser": "", "buildDate": "", "goVersion": "",
            ])
        }
    }
}
