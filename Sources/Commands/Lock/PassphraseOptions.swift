import ArgumentParser
import Files
import Foundation
import Host

/// Where a command takes the passphrase from: the terminal, unless a file is named.
///
/// There is no option for the passphrase itself: other users can read the arguments of a process, and the shell
/// keeps them in its history.
struct PassphraseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file whose only line is the passphrase; - means standard input.",
            valueName: "path"),
        completion: .file())
    var passphraseFile: String?

    /// The passphrase that opens the key.
    ///
    /// - Throws: `CommandFailure` without a file and a terminal.
    func present(_ question: String = "Passphrase: ") async throws -> String {
        if let passphraseFile { return try SecretInput.line(in: passphraseFile) }
        return try await SecretInput.ask([question])[0]
    }

    /// A new passphrase, typed twice at a terminal.
    ///
    /// - Throws: `CommandFailure` if the two differ.
    func new(from file: String?) async throws -> String {
        if let file { return try SecretInput.line(in: file) }
        let typed = try await SecretInput.ask(["New passphrase: ", "The same again: "])
        guard typed[0] == typed[1] else {
            throw CommandFailure(.usage, "The two passphrases differ; nothing was changed.")
        }
        return typed[0]
    }
}

/// Reads passphrases and the values of secrets.
enum SecretInput {
    private static let longest = 4096

    /// The only line of a file, or of standard input for `-`.
    ///
    /// - Throws: `CommandFailure`.
    static func line(in path: String) throws(CommandFailure) -> String {
        guard path == "-" else {
            do {
                return try SecretFile.line(in: path)
            } catch {
                throw CommandFailure(.noInput, error.message, hint: error.hint)
            }
        }
        return try standardInput()
    }

    /// The line on standard input.
    ///
    /// - Throws: `CommandFailure` if there is none or it is too long.
    static func standardInput() throws(CommandFailure) -> String {
        let data = (try? FileHandle.standardInput.read(upToCount: longest + 2)) ?? Data()
        guard var text = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(.badData, "Standard input is not UTF-8.")
        }
        while text.last?.isNewline == true { text.removeLast() }
        guard (1...longest).contains(text.utf8.count) else {
            throw CommandFailure(
                .badData, "Standard input has no line of 1 to \(longest) bytes.")
        }
        return text
    }

    /// Asks at the terminal, without showing what is typed.
    ///
    /// - Throws: `CommandFailure` without a terminal, at the end of the input, and for Ctrl-C.
    static func ask(_ questions: [String]) async throws(CommandFailure) -> [String] {
        guard let terminal = TerminalDevice(path: "/dev/tty") else {
            throw CommandFailure(
                .usage, "There is no terminal to ask at.",
                hint: "Name a file, or - for standard input: --passphrase-file FILE")
        }
        defer { terminal.close() }
        terminal.listen()
        var keys = terminal.keys.makeAsyncIterator()
        var (answers, typed): ([String], [UInt8]) = ([], [])
        terminal.write(questions[0])
        while answers.count < questions.count {
            guard let bytes = await keys.next() else {
                throw CommandFailure(.noInput, "The input ended before an answer.")
            }
            for byte in bytes where answers.count < questions.count {
                switch byte {
                case 0x03:
                    terminal.write("\n")
                    throw CommandFailure(.interrupted, "Interrupted.")
                case 0x04 where typed.isEmpty:
                    terminal.write("\n")
                    throw CommandFailure(.noInput, "The input ended before an answer.")
                case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                    terminal.write("\n")
                    guard let text = String(validating: typed, as: UTF8.self), !text.isEmpty else {
                        throw CommandFailure(.usage, "An empty answer changes nothing.")
                    }
                    answers.append(text)
                    typed = []
                    if answers.count < questions.count { terminal.write(questions[answers.count]) }
                case 0x7F, 0x08: removeLast(&typed)
                case 0x15: typed = []
                default: if typed.count < longest { typed.append(byte) }
                }
            }
        }
        return answers
    }

    /// Removes the last character, which may have several bytes.
    private static func removeLast(_ bytes: inout [UInt8]) {
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    }
}
