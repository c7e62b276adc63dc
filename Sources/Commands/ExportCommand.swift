import API
import ArgumentParser
import Foundation
import Host
import Ingest
import Samples

/// Exports samples to files.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export samples to files.",
        discussion: """
            An interrupted export is resumed by the same command; until it is complete, the
            file is named FILE.part. Several sensors are written to separate files in a
            folder. With -o -, the samples of one sensor are written to standard output.

            Examples:
              nervous export cpu -o cpu.csv
              nervous export cpu --last 1h -o - | gzip > cpu.csv.gz
              nervous export cpu memory --last 7d --format columns -o samples/
              nervous export cpu --last 1h -o cpu.senml
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The sensors, such as cpu; see: nervous sensors.", completion: .names(.sensor))
    var sensors: [String]

    @OptionGroup var timeRange: TimeRangeOptions

    @Option(help: "csv, ndjson, columns or senml; by default from the name of the file.")
    var format: TransferFormat?

    @Option(
        name: .shortAndLong,
        help: "The file, or the folder for several sensors; - for standard output.")
    var output: String

    func validate() throws {
        try timeRange.check()
        guard !sensors.isEmpty else { throw ValidationError("Name at least one sensor.") }
        guard !goesToOutput || sensors.count == 1 && !options.json else {
            throw ValidationError(
                "Only one sensor can be written to standard output, and not with --json.")
        }
        guard sensors.count > 1 || goesToOutput || format != nil else {
            return try TransferFormat.check(output)
        }
    }

    private var goesToOutput: Bool { output == "-" }

    func run() async throws {
        if goesToOutput { try RawOutput.check() }
        try await HostSession.with(options.host) { session in
            if goesToOutput { return try await write(sensors[0], session) }
            var reports: [Report] = []
            for sensor in sensors { reports.append(try await export(sensor, session)) }
            if options.json { options.console.print(json: try JSONEncoder().encode(reports)) }
        }
    }

    private struct Report: Encodable {
        let sensor: String
        let file: String
        let samples: Int
        let bytes: Int
        let sha256: String
        /// Ranges of damaged samples, which are not in the file; missing if none are known.
        let damaged: [DamagedRange]?
    }

    private func export(_ sensor: String, _ session: HostSession) async throws -> Report {
        var path = output
        if sensors.count > 1 {
            try FileManager.default.createDirectory(
                atPath: output, withIntermediateDirectories: true)
            path = output + (output.hasSuffix("/") ? "" : "/") + sensor
            path += ".\((format ?? .csv).rawValue)"
        }
        let form = (format ?? TransferFormat(path: path) ?? .csv).sampleFormat
        let (start, end) = timeRange.fixed
        let wanted = ExportFile.Progress(
            sensor: sensor, form: form.rawValue, from: timeRange.start,
            start: start, to: end)
        var file = try ExportFile(path, wanted, hasOpenEnd: timeRange.to == nil)
        let range: Range = [("from", file.progress.start), ("to", file.progress.to)]
        // Summaries count pruned samples, which cannot be exported.
        let window = try await totals(sensor, range, session).items.first
        let isWhole = window?.approximate != true && window?.partial != true
        let total = isWhole ? window?.count : nil
        let line = ProgressLine("Exporting \(sensor)", options.console)
        defer { line.end() }
        do {
            try await eachPage(of: sensor, form, range, after: file.progress.cursor, session) {
                page in
                let body = Self.rows(of: page, form, isFirst: file.progress.bytes == 0)
                var samples = Self.samples(in: body, form)
                if form == .csv, file.progress.bytes == 0 { samples -= 1 }
                try file.append(body, samples: samples, next: page.next)
                line.show(file.progress.samples, of: total)
                return true
            }
            if form == .senml {
                try Self.checkNotEmpty(file.progress.bytes > 0, sensor)
                try file.append(Self.endOfPack, samples: 0, next: nil)
            }
        } catch {
            try? file.checkpoint()
            throw error
        }
        let hash = try file.finish()
        // Damage is detected by reading.
        let damaged = try await totals(sensor, range, session).damaged
        let report = Report(
            sensor: sensor, file: path, samples: file.progress.samples, bytes: file.progress.bytes,
            sha256: hash, damaged: damaged)
        line.end()
        if !options.json { say(report) }
        options.console.warn(about: damaged, of: sensor)
        guard damaged == nil else {
            throw CommandFailure(
                .badData, "Some samples of \(sensor) are damaged, and are missing from \(path).",
                hint: "Check all samples with: nervous doctor", type: "damaged")
        }
        guard let total, total != report.samples else { return report }
        throw CommandFailure(
            .badData,
            "\(report.samples) samples were written to \(path), but the host has \(total).",
            hint: "Samples were published during the export; export again.", type: "count-differs")
    }

    private func say(_ report: Report) {
        options.console.print(
            "\(report.file): \(report.samples) samples, \(report.bytes) bytes,"
                + " SHA-256 \(report.sha256)")
    }

    // MARK: - Pages

    private static let pageSize = 10_000

    /// Writes to standard output, without resuming.
    private func write(_ sensor: String, _ session: HostSession) async throws {
        let form = (format ?? .csv).sampleFormat
        let (start, end) = timeRange.fixed
        let range: Range = [("from", start), ("to", end)]
        var isFirst = true
        try await eachPage(of: sensor, form, range, after: nil, session) { page in
            let body = Self.rows(of: page, form, isFirst: isFirst)
            guard !body.isEmpty else { return true }
            defer { isFirst = false }
            return try RawOutput.write(body)
        }
        if form == .senml {
            try Self.checkNotEmpty(!isFirst, sensor)
            _ = try RawOutput.write(Self.endOfPack)
        }
        guard let damaged = try await totals(sensor, range, session).damaged else { return }
        options.console.warn(about: damaged, of: sensor)
        throw CommandFailure(
            .badData, "Some samples of \(sensor) are damaged and were not written.",
            hint: "Check all samples with: nervous doctor", type: "damaged")
    }

    private typealias Range = [(name: String, value: String?)]

    /// - Parameter body: returns whether to continue.
    private func eachPage(
        of sensor: String, _ form: SampleFormat, _ range: Range, after cursor: String?,
        _ session: HostSession, _ body: (EncodedSamples) throws -> Bool
    ) async throws {
        var cursor = cursor
        repeat {
            let page = try await session.client.page(
                of: sensor, as: form.rawValue,
                query: range + [("limit", String(Self.pageSize)), ("cursor", cursor)])
            guard try body(page) else { return }
            cursor = page.next
        } while cursor != nil
    }

    private static let endOfPack = Data("]\n".utf8)

    /// A pack of SenML has at least one record.
    private static func checkNotEmpty(_ hasSamples: Bool, _ sensor: String) throws {
        guard !hasSamples else { return }
        throw CommandFailure(
            .noInput, "\(sensor) has no samples in this range, and SenML has no empty packs.",
            hint: "Choose another range, or --format csv.")
    }

    /// The number of samples of a page, or of lines of CSV.
    private static func samples(in body: Data, _ form: SampleFormat) -> Int {
        guard form == .senml else {
            return body.withUnsafeBytes { RowCounter(form).rows($0).rows }
        }
        // The first record of each sample has its time. In texts, quotation marks are escaped.
        return body.ranges(of: Data(#""bt":"#.utf8)).count
    }

    /// The part of a page that a file has.
    ///
    /// Every page of CSV has a header line; only the first is written. The pages of SenML become one pack: each
    /// begins with the base members that apply to it.
    private static func rows(
        of page: EncodedSamples, _ form: SampleFormat, isFirst: Bool
    ) -> Data {
        if form == .senml {
            guard let start = page.body.firstIndex(of: UInt8(ascii: "[")),
                let end = page.body.lastIndex(of: UInt8(ascii: "]"))
            else { return Data() }
            return Data((isFirst ? "[" : ",\n").utf8) + page.body[(start + 1)..<end]
        }
        guard form == .csv, !isFirst, let end = page.body.firstIndex(of: 0x0A) else {
            return page.body
        }
        return page.body[(end + 1)...]
    }

    /// The number of samples, and the damaged ranges.
    private func totals(
        _ sensor: String, _ range: Range, _ session: HostSession
    ) async throws -> StatisticsAnswer {
        try await session.client.statistics(of: sensor, query: range + [("fn", "count")]).value
    }
}
