import API
import AsyncAlgorithms
import Auth
import HTTPTypes
import Hummingbird
import Ingest
import LAE
import NIOCore
import Samples
import ServiceLifecycle
import Tracks

/// Reads samples: one page, or as many as the range has in a streamed body.
struct SampleReader {
    /// The maximum number of samples of a page.
    private static let pageLimit = 10_000
    /// The maximum number of samples of a streamed body.
    private static let streamLimit = 10_000_000
    /// The number of samples in one read of a stream; permission is checked again for each read.
    ///
    /// One less than the limit of a read of the store, because the reader requests one more sample to
    /// detect whether others follow.
    private static let streamPage = 32_767
    /// Bytes per write of a body.
    private static let piece = 128 << 10

    let authorizer: RequestAuthorizer
    let engine: AnalyticsEngine

    /// The contents of the trailer of a stream.
    private struct StreamEnd {
        /// Where the next page begins.
        var next: SampleQuery.Position?
        var damage: [TimeRange] = []
    }

    private typealias Pages = AsyncThrowingChannel<BatchPage, any Error>

    @Sendable
    func samples(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let name = try request.sensor(context)
        let grant = try await authorizer.grant("samples", .raw, of: name, request, context)
        let id = grant.sensor
        let form = try SampleFormat(accept: request.headers[.accept])
        // JSON has the cursor after the samples, and a pack of SenML is read as a whole.
        let isPage = form == .json || form == .senml
        let maximum = isPage ? Self.pageLimit : Self.streamLimit
        var selection = try selection(request, limit: request.limit(atMost: maximum))
        let limit = selection.limit
        if limit > Self.pageLimit { selection.limit = min(limit, Self.streamPage) }
        // Read before the response begins, so that an error has its status.
        let page = try await engine.batch(selection, for: grant)
        try page.samples.checkTimes(of: form)
        var response: Response
        if limit > Self.pageLimit {
            selection.limit = limit
            response = stream(from: page, selection, form, id, request, context)
                .endingConnection(context)
        } else {
            // A pack of SenML has at least one record.
            response =
                form == .senml && page.samples.isEmpty
                ? Response(status: .noContent)
                : Response(status: .ok, body: .init(byteBuffer: try Self.whole(page, form, of: id)))
            if let next = page.next { response.headers[.link] = request.link(toNext: next.cursor) }
        }
        response.headers[.damaged] = page.damage.damageField
        if response.status != .noContent { response.headers[.contentType] = form.mediaType }
        response.headers[.vary] = "Accept"
        return response.naming(id, requested: name)
    }

    private func selection(_ request: Request, limit: Int) throws -> SampleSelection {
        try request.rejectParameters(
            except: ["from", "to", "fields", "order", "limit", "cursor"], repeating: ["where"])
        var order = SampleQuery.Order.ascending
        if let text = request.parameter("order") {
            guard let known = ["asc": SampleQuery.Order.ascending, "desc": .descending][text] else {
                throw Problem.invalidParameter("order", "must be asc or desc")
            }
            order = known
        }
        let after = try request.parameter("cursor").map { text in
            guard let position = SampleQuery.Position(cursor: text) else {
                throw Problem.invalidParameter(
                    "cursor", "must be the unchanged cursor of the previous page")
            }
            return position
        }
        return SampleSelection(
            range: try request.range(now: authorizer.now()), order: order,
            fields: try request.list("fields"),
            conditions: try request.conditions(), after: after, limit: limit)
    }

    private static func whole(
        _ page: BatchPage, _ form: SampleFormat, of id: SensorID
    ) throws -> ByteBuffer {
        var writer = SampleWriter(form, fields: page.fields, of: id)
        writer.begin()
        writer.write(page.samples, rows: page.samples.indices)
        writer.end()
        var buffer = ByteBuffer()
        if form == .json {
            buffer.writeString(#"{"sensor":"#)
            buffer.writeJSON(id.description)
            buffer.writeString(#","items":["#)
        }
        writer.take { _ = buffer.writeBytes($0) }
        guard form == .json else { return buffer }
        buffer.writeString("]")
        if let next = page.next {
            buffer.writeString(#","next":"#)
            buffer.writeJSON(next.cursor)
        }
        if let damaged = DamagedRange.list(page.damage) {
            buffer.writeString(#","damaged":"#)
            buffer.writeBytes(try JSONText.encode(damaged))
        }
        buffer.writeString("}")
        return buffer
    }

    // MARK: - Streams

    /// A chunked response.
    ///
    /// In its trailer, `Link` leads to the samples beyond the limit, and `Nervous-Damaged` has the
    /// damage that was found. The body is cut off if permission ends or the host stops.
    private func stream(
        from first: BatchPage, _ selection: SampleSelection, _ form: SampleFormat, _ id: SensorID,
        _ request: Request, _ context: ProviderContext
    ) -> Response {
        Response(
            status: .ok, headers: [.trailer: "Link, Nervous-Damaged"],
            body: ResponseBody { writer in
                var end: StreamEnd?
                try await request.whileConnected(context) { connection in
                    end = try await send(
                        from: first, selection, form, id, request, context, connection, &writer)
                }
                var trailer = HTTPFields()
                trailer[.link] = (end?.next).map { request.link(toNext: $0.cursor) }
                trailer[.damaged] = end?.damage.damageField
                try await writer.finish(trailer.isEmpty ? nil : trailer)
            })
    }

    /// Reads the next page while a page is written.
    ///
    /// - Parameter connection: ends when the client disconnects.
    private func send(
        from first: BatchPage, _ selection: SampleSelection, _ form: SampleFormat, _ id: SensorID,
        _ request: Request, _ context: ProviderContext, _ connection: AsyncStream<Void>,
        _ writer: inout any ResponseBodyWriter
    ) async throws -> StreamEnd {
        let pages = Pages()
        var end = StreamEnd()
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                do {
                    try await read(from: first, selection, id, request, context, into: pages)
                    pages.finish()
                } catch {
                    pages.fail(error)
                }
            }
            group.addTask {
                for await _ in connection {}
                pages.fail(CancellationError())
            }
            group.addTask {
                try? await gracefulShutdown()
                pages.fail(CancellationError())
            }
            var output = SampleWriter(form, fields: first.fields)
            output.begin()
            for try await page in pages {
                end.next = page.next
                end.damage = (end.damage + page.damage).joined
                try await Self.write(page.samples, form, &output, &writer)
            }
            group.cancelAll()
        }
        return end
    }

    private func read(
        from first: BatchPage, _ selection: SampleSelection, _ id: SensorID, _ request: Request,
        _ context: ProviderContext, into pages: Pages
    ) async throws {
        var selection = selection
        var left = selection.limit
        var page = first
        while true {
            await pages.send(page)
            left -= page.samples.count
            guard let next = page.next, left > 0 else { return }
            try Task.checkCancellation()
            let grant = try await authorizer.grant(
                "samples", .raw, of: id, request, context, isContinuation: true)
            selection.after = next
            selection.limit = min(left, Self.streamPage)
            page = try await engine.batch(selection, for: grant)
            guard page.fields == first.fields else {
                throw Problem.notFound("The fields of the sensor have changed.")
            }
        }
    }

    private static func write(
        _ batch: SampleBatch, _ form: SampleFormat, _ output: inout SampleWriter,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        // Columns are written page by page; rows until there is enough to send.
        let step = form == .columns ? max(1, batch.count) : 512
        var row = 0
        repeat {
            let end = min(batch.count, row + step)
            output.write(batch, rows: row..<end)
            row = end
            guard output.count >= piece || row == batch.count else { continue }
            var buffer = output.take { ByteBuffer(bytes: $0) }
            while let part = buffer.readSlice(length: min(piece, buffer.readableBytes)),
                part.readableBytes > 0
            {
                try await writer.write(part)
            }
        } while row < batch.count
    }
}

extension SampleQuery.Position {
    /// Opaque to clients: timestamp and sequence number, so that samples with equal timestamps are
    /// neither lost nor repeated.
    var cursor: String { "\(time.microseconds)_\(sequence)" }

    init?(cursor: String) {
        let parts = cursor.split(separator: "_")
        guard parts.count == 2, let time = Int64(parts[0]), let sequence = Int64(parts[1]) else {
            return nil
        }
        self.init(time: Timestamp(microseconds: time), sequence: sequence)
    }
}
