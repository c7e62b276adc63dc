import ArgumentParser
import Foundation
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
        try await HostSession.with(options) { session in
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

    private func publish(_ form: SampleFormat, _ session: HostSession) async throws -> Report {
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
