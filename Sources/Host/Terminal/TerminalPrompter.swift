import Auth
import Foundation
import Glibc

/// Puts privileges to the person at the terminal.
///
/// Nothing of the package reaches the terminal unescaped, and what was typed before the question
/// stood there does not answer it. End of input is no answer.
struct TerminalPrompter: Prompter {
    private static let attempts = 3

    let console: Console

    func decide(_ question: PermissionQuestion) async -> Decision? {
        let privilege = question.privilege
        guard let sensor = privilege.id.sensor, let access = privilege.id.access else { return nil }
        let isRaw = access == .raw
        let title = question.title.map { " “\($0.escapedForDisplay(limit: 30))”" } ?? ""
        let claim =
            privilege.reason.isEmpty
            ? "It gives no reason."
            : "Its claim: “\(privilege.reason.escapedForDisplay(limit: 60))”"
        let wish =
            isRaw ? "read every sample of" : "read statistics, never a single sample, of"
        console.say(
            """

            Nervous asks you (\(question.number) of \(question.count)):
              \(question.app) \(question.version.escapedForDisplay(limit: 16))\(title)
              wants to \(wish) \(sensor)
              \(claim)
              o  allow once        a  allow always
              \(isRaw ? "s  statistics only   " : "")d  deny
              Change it later: nervous permissions \(question.app)
            """)
        tcflush(0, TCIFLUSH)
        for _ in 0..<Self.attempts {
            Console.ask(isRaw ? "o/a/s/d> " : "o/a/d> ")
            guard let answer = readLine() else {
                console.say("")
                return nil
            }
            switch answer.lowercased().filter({ !$0.isWhitespace }) {
            case "o", "once": return .allowOnce
            case "a", "always": return .allowAlways
            case "d", "deny": return .deny
            case let word where isRaw && ["s", "statistics"].contains(word): return .statisticsOnly
            default: console.say("Type one letter and Enter.")
            }
        }
        console.say("No answer counts as no.")
        return nil
    }
}
