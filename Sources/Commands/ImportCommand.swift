import ArgumentParser
import Crypto
import Foundation
import Host
import Ingest

/// Publishes the samples of a file.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Store the samples of a file.",
        discussion: """
            The sensor is one that nervous sensors add has declared: what the host reads itself takes
            no other samples. Every batch of the file has a key of its own, so an import that is
            given again within 24 hours stores nothing twice.

            Examples:
              nervous import walk.csv --sensor my.steps
              nervous import walk.columns --sensor my.accelerometer
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The file: CSV with a header line, NDJSON, or columns.")
    var file: String

    @Option(help: "The sensor that the samples are of.")
    var sensor: String

    @Option(help: "csv, ndjson or columns; else what the name of the file says.")
    var format: TransferForm?

    private struct Receipt: Decodable {
        let accepted: Int
    }

    private struct Report: Encodable {
        let sensor: String
        let samples: Int
        let batches: Int
        let sha256: String
    }

    func run() async throws {
        guard let form = format ?? TransferForm(path: file) else {
            throw CommandFailure(
                .usage, "The name of \(file) does not say its form.",
                hint: "Say it with --format csv, ndjson or columns.")
        }
        try await HostSession.with(options.host) { session in
            let report = try await publish(form.form, session)
            if options.json {
                options.console.print(json: try JSONEncoder().encode(report))
            } else {
                options.console.print(
                    "\(sensor): \(report.samples) \(report.samples == 1 ? "sample" : "samples") in"
                        + " \(report.batches) \(report.batches == 1 ? "batch" : "batches"),"
                        + " SHA-256 of the file \(report.sha256)")
            }
        }
    }

    private func publish(_ form: SampleForm, _ session: HostSession) async throws -> Report {
        let reading = ProgressLine("Reading \(file)", options.console, measure: .bytes)
        var input = try ImportFile(file, form) { reading.show($0, of: $1) }
        reading.end()
        let line = ProgressLine("Importing \(file)", options.console, measure: .bytes)
        defer { line.end() }
        let path = "/api/v1/sensors/\(ControlClient.segment(sensor))/samples"
        var (samples, batches) = (0, 0)
        while let batch = try input.next() {
            let key = "import-\(input.sha256)-\(batch.offset)"
            do {
                let answer = try await session.client.publish(
                    path, batch.body, as: form, key: key)
                samples += try JSONDecoder().decode(Receipt.self, from: answer).accepted
            } catch let failure as CommandFailure {
                // Here the body is the file and no word of the command line.
                throw CommandFailure(
                    failure.type == "invalid-body" ? .badData : failure.code,
                    "\(failure.message) (in the batch that begins at byte \(batch.offset);"
                        + " \(samples) samples before it are stored)",
                    hint: failure.hint, type: failure.type)
            }
            batches += 1
            line.show(batch.end, of: input.size)
        }
        guard batches > 0 else { throw CommandFailure(.badData, "\(file) has no samples.") }
        return Report(sensor: sensor, samples: samples, batches: batches, sha256: input.sha256)
    }
}

/// A file of samples that is read as batches of whole rows.
///
/// Where a batch begins and ends depends on the file alone, so a batch keeps its key.
struct ImportFile {
    private static let piece = 1 << 20
    /// What one batch has at most, unless a batch of columns is larger.
    private static let batchBytes = 8 << 20
    private static let batchRows = 50_000
    /// What the host takes at most.
    private static let longestBatch = 64 << 20

    /// Some rows of the file, as a body of their own.
    struct Batch {
        let body: Data
        let offset: Int
        /// Where the next one begins.
        let end: Int
    }

    let form: SampleForm
    /// The SHA-256 of the whole file, 64 hexadecimal digits.
    let sha256: String
    let size: Int
    private let handle: FileHandle
    /// What was read and is in no batch yet.
    private var rest = Data()
    private var offset = 0
    private var header = Data()

    /// - Parameter show: told how many bytes of how many were looked at.
    init(_ path: String, _ form: SampleForm, show: (Int, Int) -> Void) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(.noInput, "\(path) cannot be read.")
        }
        self.form = form
        self.handle = handle
        size = Int(try handle.seekToEnd())
        try handle.seek(toOffset: 0)
        var hash = SHA256()
        var done = 0
        while let more = try handle.read(upToCount: Self.piece), !more.isEmpty {
            hash.update(data: more)
            done += more.count
            show(done, size)
        }
        sha256 = hash.finalize().map { String(format: "%02x", $0) }.joined()
        try handle.seek(toOffset: 0)
    }

    /// The next rows; `nil` at the end.
    mutating func next() throws -> Batch? {
        var isAtEnd = false
        while true {
            while rest.count < Self.batchBytes, !isAtEnd {
                isAtEnd = try !fill()
            }
            if rest.isEmpty { return nil }
            if form == .csv, header.isEmpty {
                guard takeHeader() || isAtEnd else {
                    throw CommandFailure(.badData, "The first line of the file has no end.")
                }
                if header.isEmpty { swap(&header, &rest) }
                if rest.isEmpty { return nil }
            }
            let found = rest.withUnsafeBytes { RowCounter(form).rows($0, most: Self.batchRows) }
            // The last line may have no end, and what is cut off is for the host to refuse.
            let isRest =
                isAtEnd && (found.bytes == 0 || form != .columns && found.rows < Self.batchRows)
            let count = isRest ? rest.count : found.bytes
            if count > 0 {
                let body = rest.prefix(count)
                rest = Data(rest.dropFirst(count))
                defer { offset += count }
                return Batch(body: header + body, offset: offset, end: offset + count)
            }
            guard rest.count < Self.longestBatch else {
                throw CommandFailure(
                    .badData, "The rows at byte \(offset) are larger than the host takes at once.")
            }
            isAtEnd = try !fill()
        }
    }

    // MARK: - Private

    /// - Returns: whether there was more.
    private mutating func fill() throws -> Bool {
        guard let more = try handle.read(upToCount: Self.piece), !more.isEmpty else { return false }
        rest.append(more)
        return true
    }

    private mutating func takeHeader() -> Bool {
        let first = rest.withUnsafeBytes { RowCounter(form).rows($0, most: 1) }
        guard first.rows == 1 else { return false }
        header = Data(rest.prefix(first.bytes))
        rest = Data(rest.dropFirst(first.bytes))
        offset = first.bytes
        return true
    }
}
