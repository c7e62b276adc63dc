import ArgumentParser
import Auth
import Foundation
import Host
import JSApps
import Text

/// Creates the folder of a new app.
struct NewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Create the folder of a new app that can be run immediately.",
        discussion: """
            Examples:
              nervous new memory-meter
              nervous run ./memory-meter
              nervous new step-counter --in ~/apps
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's name: a–z and 0–9, words joined by -, such as step-counter.")
    var name: String

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("The parent folder; by default the current one.", valueName: "dir"),
        completion: .directory)
    var parent = "."

    private struct Report: Encodable {
        let app: String
        let files: [String]
        let folder: String
    }

    func run() async throws {
        guard let checked = AppName(name) else {
            throw CommandFailure(
                .usage, "\(name.escapedForDisplay(limit: 80)) is not a valid app name.",
                hint: "Use up to 64 of a–z and 0–9, words joined by -, such as step-counter.",
                type: "bad-name")
        }
        guard !ReservedNames.contains(checked.text) else {
            throw CommandFailure(
                .usage, "The name \(checked) is reserved.",
                hint: "Choose another name, such as my-\(checked).", type: "bad-name")
        }
        let folder = URL(filePath: parent).appending(component: checked.text)
        try AppSkeleton(checked).make(in: URL(filePath: parent))
        let path = folder.standardizedFileURL.path(percentEncoded: false)
        guard !options.json else {
            let files = AppSkeleton.fileNames.sorted()
            return try options.console.print(
                encoding: Report(app: checked.text, files: files, folder: path))
        }
        let shown = Self.shown(checked, in: parent)
        options.console.print("Created \(shown): \(AppSkeleton.fileNames.joined(separator: ", ")).")
        options.console.say("Run it with: nervous run \(shown)")
        options.console.say("Test it with: nervous test \(shown)")
    }

    /// The path as a shell argument; with a slash, since a bare word is an installed app.
    private static func shown(_ name: AppName, in parent: String) -> String {
        let path = "\(parent.hasSuffix("/") ? String(parent.dropLast()) : parent)/\(name)"
        let isPlain = path.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "/._-".contains($0))
        }
        return isPlain ? path : path.shellQuoted
    }
}
