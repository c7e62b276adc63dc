import ArgumentParser
import Foundation
import Host
import JSApps

/// Creates a package from an app's folder.
struct PackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Check an app's folder as an installation does, and create a ZIP package.",
        discussion: """
            Packages are reproducible: the same folder gives the same bytes.
            Examples:
              nervous pack my-app
              nervous pack my-app --sign home     (created with: nervous keys create home)
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's folder, which has the name of the app.", completion: .directory)
    var folder: String

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The file; by default NAME.zip in the current folder.", valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Sign with this key; see: nervous keys list.", valueName: "key"),
        completion: .names(.key))
    var sign: String?

    private struct Packed: Encodable {
        let bytes: Int
        let file: String
        let signer: String?
    }

    func run() async throws {
        let url = URL(filePath: folder).standardizedFileURL
        let key = try sign.map { try options.keys.signingKey($0) }
        let packer = Packer(limits: try options.host.configuration.packages)
        let bytes = Data(try packer.pack(url, signingWith: key))
        let file = output ?? "\(url.lastPathComponent).zip"
        do {
            try bytes.write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw CommandFailure.cannotWrite(file)
        }
        guard !options.json else {
            let signer = key?.signer.fingerprint
            return try options.console.print(
                encoding: Packed(bytes: bytes.count, file: file, signer: signer))
        }
        let signature = key.map { ", signed by \(sign ?? "") \($0.signer.shortFingerprint)" } ?? ""
        options.console.print("Packed \(file), \(Format.bytes(Double(bytes.count)))\(signature).")
    }
}
