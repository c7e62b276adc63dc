import API
import ArgumentParser
import Crypto
import Foundation
import Host
import Ingest
import Text

/// Publishes the samples of a file.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import the samples of a file.",
        discussion: """
            The sensor must be declared with nervous sensors add: you cannot import samples
            of a sensor that the host itself reads. Every batch has an idempotency key, so
            repeating an import within 24 hours stores nothing twice. If you deleted all
            samples of a batch with nervous forget, it is stored again.

            Examples:
              nervous import walk.csv --sensor my.steps
              nervous import walk.columns --sensor my.accelerometer
              nervous import attic.senml --sensor my.climate   (one pack, at most 64 MiB)
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The file: CSV with a header line, NDJSON, columns, or a pack of SenML.")
    var file: String

    @Option(help: "The sensor to publish to.", completion: .names(.sensor))
    var sensor: String

    @Option(help: "csv, ndjson, columns or senml; by default from the name of the file.")
    var format: TransferFormat?

    private struct Report: Encodable {
        let sensor: String
        /// Stored now.
        let samples: Int
        /// Stored by an earlier import of the file.
        let known: Int
        let batches: Int
        let sha256: String

        var line: String {
            let stored = "\(samples) \(samples == 1 ? "sample" : "samples") stored"
            let earlier = known == 0 ? "" : ", \(known) already stored by an earlier import"
            return "\(sensor): \(stored)\(earlier), in \(batches)"
                + " \(batches == 1 ? "batch" : "batches"), SHA-256 of the file \(sha256)"
        }
    }

    func run() async throws {
        guard let chosen = format ?? TransferFormat(path: file) else {
            throw CommandFailure(
                .usage, "\(file) does not have the extension of a known format.",
                hint: "Use --format csv, ndjson, columns or senml.")
        }
        try await HostSession.with(options.host) { session in
            let report = try await publish(chosen.sampleFormat, session)
            if options.json {
                options.console.print(json: try JSONEncoder().encode(report))
            } else {
                options.console.print(report.line)
            }
        }
    }

    private func publish(_ form: SampleFormat, _ session: HostSession) async throws -> Report {
        let reading = ProgressLine("Reading \(file)", options.console, measure: .bytes)
        var input = try ImportFile(file, form) { reading.show($0, of: $1) }
        reading.end()
        let line = ProgressLine("Importing \(file)", options.console, measure: .bytes)
        defer { line.end() }
        var (samples, known, batches) = (0, 0, 0)
        while let batch = try input.next() {
            let key = "import-\(input.sha256)-\(batch.offset)"
            do {
                let (reply, isRepeated) = try await session.client.publish(
                    batch.body, as: form.rawValue, key: key, to: sensor)
                if isRepeated { known += reply.accepted } else { samples += reply.accepted }
            } catch let error as APIError {
                let failure = CommandFailure(error)
                // The body comes from the file, so the data is wrong and not the use of the command.
                throw CommandFailure(
                    error.code == .invalidBody ? .badData : failure.code,
                    "\(failure.message) (in the batch at byte \(batch.offset);"
                        + " \(samples + known) samples before it are stored)",
                    hint: failure.hint, type: failure.type)
            }
            batches += 1
            line.show(batch.end, of: input.size)
        }
        guard batches > 0 else { throw CommandFailure(.badData, "\(file) has no samples.") }
        return Report(
            sensor: sensor, samples: samples, known: known, batches: batches,
            sha256: input.sha256)
    }
}

/// Reads a file of samples as batches of whole rows.
///
/// The boundaries of the batches depend only on the file, so idempotency keys are stable.
struct ImportFile {
    private static let piece = 1 << 20
    /// The limits of a batch, unless a batch of columns is larger.
    private static let batchBytes = 8 << 20
    private static let batchRows = 50_000
    /// The maximum that the host accepts.
    private static let longestBatch = 64 << 20

    /// Some rows of the file, as the body of a request.
    struct Batch {
        let body: Data
        let offset: Int
        /// The offset of the next batch.
        let end: Int
    }

    let form: SampleFormat
    /// The SHA-256 of the whole file, 64 hexadecimal digits.
    let sha256: String
    let size: Int
    private let handle: FileHandle
    /// Bytes that are not in a batch yet.
    private var rest = Data()
    private var offset = 0
    private var header = Data()

    /// - Parameter show: called with the bytes read and the size.
    init(_ path: String, _ form: SampleFormat, show: (Int, Int) -> Void) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(.noInput, "Cannot read \(path).")
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
        sha256 = hash.finalize().hexadecimal
        try handle.seek(toOffset: 0)
    }

    /// The next rows; `nil` at the end.
    mutating func next() throws -> Batch? {
        if form == .senml { return try wholePack() }
        var isAtEnd = false
        while true {
            while rest.count < Self.batchBytes, !isAtEnd {
                isAtEnd = try !fill()
            }
            if rest.isEmpty { return nil }
            if form == .csv, header.isEmpty {
                guard takeHeader() || isAtEnd else {
                    throw CommandFailure(.badData, "The first line of the file is not terminated.")
                }
                if header.isEmpty { swap(&header, &rest) }
                if rest.isEmpty { return nil }
            }
            let found = rest.withUnsafeBytes { RowCounter(form).rows($0, limit: Self.batchRows) }
            // The last line may be unterminated; the host rejects truncated data.
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
                    .badData, "The rows at byte \(offset) exceed the limit of one batch.")
            }
            isAtEnd = try !fill()
        }
    }

    // MARK: - Private

    /// The file as one batch: what a record of SenML means depends on the ones before.
    private mutating func wholePack() throws -> Batch? {
        guard size <= Self.longestBatch else {
            throw CommandFailure(
                .badData, "A pack of SenML has at most \(Self.longestBatch >> 20) MiB.",
                hint: "Export the samples in several ranges.")
        }
        guard offset < size else { return nil }
        while try fill() {}
        defer { offset = size }
        return Batch(body: rest, offset: offset, end: size)
    }

    /// - Returns: whether the file had more bytes.
    private mutating func fill() throws -> Bool {
        guard let more = try handle.read(upToCount: Self.piece), !more.isEmpty else { return false }
        rest.append(more)
        return true
    }

    private mutating func takeHeader() -> Bool {
        let first = rest.withUnsafeBytes { RowCounter(form).rows($0, limit: 1) }
        guard first.rows == 1 else { return false }
        header = Data(rest.prefix(first.bytes))
        rest = Data(rest.dropFirst(first.bytes))
        offset = first.bytes
        return true
    }
}
