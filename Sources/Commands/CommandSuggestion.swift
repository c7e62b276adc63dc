import ArgumentParser
import Text

/// The correction of a command line that names a command which does not exist.
///
/// ArgumentParser suggests options, but reports a mistyped command as an unexpected argument of the
/// default subcommand.
struct CommandSuggestion {
    /// Such as "Unknown command 'sensrs'. Did you mean 'sensors'?"
    let message: String
    /// The command whose subcommand is unknown.
    let parent: any ParsableCommand.Type

    /// - Parameters:
    ///   - arguments: the command line, which ArgumentParser has refused.
    ///   - error: its message, which quotes the words that cannot be arguments.
    /// - Returns: `nil` if all commands exist, or if the word can be an argument and resembles no
    ///   command.
    init?(for arguments: [String], refusedWith error: String, of root: any ParsableCommand.Type) {
        if let early = Self.optionBeforeCommand(arguments, of: root) {
            (message, parent) = (early, root)
            return
        }
        var parent = root
        var path: [String] = []
        // Words after an option are not checked, because they may be its value.
        for word in arguments.prefix(while: { !$0.hasPrefix("-") }) {
            let children = parent.configuration.subcommands
            guard !children.isEmpty, word != "help" || !path.isEmpty else { return nil }
            if let child = children.first(where: { Self.names(of: $0).contains(word) }) {
                parent = child
                path.append(child._commandName)
                continue
            }
            let found =
                Self.nearest(to: word, among: children).map { path + [$0] }
                ?? Self.only(subcommand: word, of: children).map { path + $0 }
            let isArgument =
                parent.configuration.defaultSubcommand != nil && !error.contains("'\(word)'")
            guard found != nil || !isArgument else { return nil }
            let unknown = (path + [word]).joined(separator: " ")
            let question = found.map { " Did you mean '\($0.joined(separator: " "))'?" }
            message = "Unknown command '\(unknown)'.\(question ?? "")"
            self.parent = parent
            return
        }
        return nil
    }

    /// The error of an option before the command, such as `nervous --data DIR status`.
    private static func optionBeforeCommand(
        _ arguments: [String], of root: any ParsableCommand.Type
    ) -> String? {
        let names = Set(root.configuration.subcommands.flatMap(names))
        guard let option = arguments.first, option.hasPrefix("--"),
            let command = arguments.first(where: names.contains)
        else { return nil }
        return "Options follow the command: nervous \(command) … \(option)"
    }

    /// The command whose name begins with a word, or resembles it most.
    private static func nearest(
        to word: String, among commands: [any ParsableCommand.Type]
    ) -> String? {
        // A third of the letters may differ; short words resemble too many commands.
        let limit = min((word.count + 1) / 3, 3)
        var best: (distance: Int, name: String)?
        for command in commands where command.configuration.shouldDisplay {
            for name in names(of: command) {
                let isStart = word.count >= 3 && name.hasPrefix(word)
                let found = (
                    isStart ? 0 : word.editDistance(to: name, countsExchanges: true),
                    command._commandName
                )
                if found.0 <= limit, best.map({ found < $0 }) ?? true { best = found }
            }
        }
        return best?.name
    }

    /// The one command with a subcommand of this name, such as `permissions grant` for `grant`.
    private static func only(
        subcommand word: String, of commands: [any ParsableCommand.Type]
    ) -> [String]? {
        let found = commands.filter { command in
            command.configuration.subcommands.contains { names(of: $0).contains(word) }
        }
        return found.count == 1 ? [found[0]._commandName, word] : nil
    }

    /// The name and the aliases of a command.
    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }
}
