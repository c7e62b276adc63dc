/// Asks a person whether something is to be done that nobody should do by mistake.
struct Confirmation {
    /// What will happen.
    let lines: [String]
    /// Such as `Remove it?`, a question.
    let question: String
    /// What is said when it is not done, without a full stop.
    let refusal: String
    /// What does it without a question.
    let hint: String

    /// - Throws: `noPermission` when nobody can be asked, or nobody said yes.
    func ask(_ console: Console) throws {
        guard Console.inputIsTerminal, Console.talkIsTerminal else {
            throw CommandFailure(
                .noPermission, "\(refusal): nobody can be asked here.", hint: hint,
                type: "not-confirmed")
        }
        lines.forEach(console.say)
        Console.sayInLine("\(question) [y/N] ")
        guard ["y", "yes"].contains(readLine()?.lowercased()) else {
            throw CommandFailure(.noPermission, "\(refusal).", type: "not-confirmed")
        }
    }
}
