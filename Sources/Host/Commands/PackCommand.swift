import ArgumentParser
import Foundation
import JSApps

/// Makes a package of an app's folder.
struct PackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Make a ZIP package of an app's folder, checked as installing would check it.",
        discussion: "The same folder gives the same bytes, on every machine and at every time.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's folder, named like the app.", completion: .directory)
    var folder: String

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Where to write it; NAME.zip here otherwise.", valueName: "file"))
    var output: String?

    func run() async throws {
        let url = URL(filePath: folder).standardizedFileURL
        let bytes = Data(try Packer(limits: options.configuration.packages).pack(url))
        let file = output ?? "\(url.lastPathComponent).zip"
        do {
            try bytes.write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw CommandFailure(
                .cannotCreate, "Cannot write \(file).", hint: "Choose another place with --output.")
        }
        if options.json {
            options.console.print("{\"bytes\":\(bytes.count),\"file\":\"\(file)\"}")
        } else {
            options.console.print("Packed \(file), \(Format.bytes(Double(bytes.count))).")
        }
    }
}
