import ArgumentParser
import Backup
import Foundation
import Host
import Samples

/// Writes diagnostics of an installation to one file, to be attached to a bug report.
struct SupportBundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "support-bundle",
        abstract: "Write diagnostics of this installation to one file, for a bug report.",
        discussion: """
            The file contains versions, the configuration without secrets, the findings of
            doctor, sizes, and warnings of the host, but never a sample, a token or what an
            app wrote. The contents are listed before the file is written. The file is a
            tar archive: read it before you send it.

            Examples:
              nervous support-bundle
              nervous support-bundle problem.tar --yes
              tar -xOf problem.tar doctor.json
            """)

    private struct Facts: Encodable {
        struct File: Encodable {
            let name: String
            let bytes: Int
            let summary: String
        }
        let file: String
        let files: [File]
    }

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "The file to create; by default nervous-support and the date.",
        completion: .file())
    var file: String?

    @Flag(help: "Write it without asking.")
    var yes = false

    func run() async throws {
        let now = Timestamp.now()
        let path = URL(filePath: file ?? "nervous-support-\("\(now)".prefix(10)).tar")
            .standardizedFileURL.path(percentEncoded: false)
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                .cannotCreate, "\(path) already exists.", hint: "Remove it or choose another name.",
                type: "exists")
        }
        let progress = ProgressLine("Collecting", options.console)
        defer { progress.end() }
        var bundle = SupportBundle(options.host)
        let entries = try await bundle.entries { progress.show($0, of: $1) }
        progress.end()
        let lines = entries.map { entry in
            let name = entry.name.padding(toLength: 18, withPad: " ", startingAt: 0)
            let size = Format.bytes(Double(entry.text.utf8.count))
            return
                "  \(name) \(size.padding(toLength: 9, withPad: " ", startingAt: 0)) \(entry.summary)"
        }
        if !yes {
            try Confirmation(
                lines: ["The bundle contains:"] + lines, question: "Write \(path)?",
                refusal: "Nothing was written", hint: "Use --yes to write it without asking."
            ).ask(options.console)
        } else if !options.json {
            lines.forEach(options.console.print)
        }
        let archive = MemoryArchive(files: entries.map { ($0.name, Array($0.text.utf8)) })
        try archive.write(to: path, modified: now.microseconds / 1_000_000)
        guard options.json else { return options.console.print("Written: \(path)") }
        try options.console.print(
            encoding: Facts(
                file: path,
                files: entries.map {
                    .init(name: $0.name, bytes: $0.text.utf8.count, summary: $0.summary)
                }))
    }
}
