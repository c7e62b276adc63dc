import Foundation
import Ingest
import Provider
import Samples

extension ExportCommand {
    private static let pageSize = 10_000

    /// Writes to standard output, of which nothing can be taken up again.
    func write(_ sensor: String, _ session: HostSession) async throws {
        let form = (format ?? .csv).form
        let resource = "/api/v1/sensors/\(ControlClient.segment(sensor))"
        let (start, end) = bounds
        let range = [("from", start), ("to", Optional(end))]
        var isFirst = true
        try await eachPage(resource, form, range, after: nil, session) { page in
            defer { isFirst = false }
            return try RawOutput.write(Self.rows(of: page, form, isFirst: isFirst))
        }
        guard let damaged = try await totals(resource, range, session).damaged else { return }
        options.console.tell(damaged, of: sensor)
        throw CommandFailure(
            .badData, "Some samples of \(sensor) are damaged and were not written.",
            hint: "See what else is: nervous doctor", type: "damaged")
    }

    /// What the options ask for, from now on unchanged.
    var bounds: (from: String?, to: String) {
        let now = Timestamp.now()
        let start = last.flatMap { Duration(span: $0) }.map {
            now.advanced(byMicroseconds: -$0.wholeMicroseconds).description
        }
        return (start ?? from, to ?? now.description)
    }

    /// - Parameter body: says whether to go on.
    func eachPage(
        _ resource: String, _ form: SampleFormat, _ range: [(String, String?)],
        after cursor: String?, _ session: HostSession,
        _ body: (ControlClient.Page) throws -> Bool
    ) async throws {
        var cursor = cursor
        repeat {
            let page = try await session.client.page(
                "\(resource)/samples", as: form,
                query: range + [("limit", String(Self.pageSize)), ("cursor", cursor)])
            guard try body(page) else { return }
            cursor = page.next
        } while cursor != nil
    }

    /// Every page of CSV has a header line; a file has one.
    static func rows(
        of page: ControlClient.Page, _ form: SampleFormat, isFirst: Bool
    ) -> Data {
        guard form == .csv, !isFirst, let end = page.body.firstIndex(of: 0x0A) else {
            return page.body
        }
        return page.body[(end + 1)...]
    }

    /// How many samples the host counts, and which it knows to be damaged.
    func totals(
        _ resource: String, _ range: [(String, String?)], _ session: HostSession
    ) async throws -> StatisticsAnswer {
        try await session.client.get(
            StatisticsAnswer.self, "\(resource)/stats", query: range + [("fn", "count")])
    }
}
