import Auth
import Samples

/// Asks which sensors of a kind a decision applies to.
struct ChoiceDialogue {
    /// The choice.
    enum Choice: Hashable {
        /// All sensors, including later ones.
        case all
        case some(InstanceChoice)
        case none
    }

    private static let attempts = 3

    let question: PermissionQuestion
    let now: Timestamp

    func choice(_ dialogue: inout Dialogue) async throws(Dialogue.End) -> Choice {
        try await dialogue.page(lines(columns: dialogue.columns))
        for _ in 0..<Self.attempts {
            let answer = try await dialogue.ask("Numbers like 1 3, or all; Enter: no> ")
            if let choice = choice(answer) { return choice }
            dialogue.say(["Numbers from 1 to \(question.instances.count), separated by spaces."])
        }
        dialogue.say(["No valid answer: nothing was allowed."])
        throw .invalid
    }

    /// Two lines for each sensor: the host's text, then the sensor's own title in quotes.
    func lines(columns: Int) -> [String] {
        let head = CautiousText.wrapped(
            "Which sensors? All includes later ones.", width: columns)
        return question.instances.enumerated().reduce(into: head) { lines, item in
            let (place, instance) = (item.offset + 1, item.element)
            let age =
                instance.newest.map { Format.age($0.milliseconds, now: now) } ?? "no samples"
            lines += CautiousText.wrapped(
                "\(place). \(instance.id), \(age)", width: columns, indent: "   ")
            let room = columns - "   \"\" from \"\"".utf8.count
            let source = CautiousText.line(of: instance.source, width: room / 2)
            let title = CautiousText.line(
                of: instance.title, width: room - CautiousText.columns(of: source))
            lines.append("   \"\(title)\" from \"\(source)\"")
        }
    }

    /// - Returns: `nil` for invalid input.
    private func choice(_ answer: String) -> Choice? {
        let words = answer.lowercased().split { $0 == "," || $0.isWhitespace }
        switch words {
        case [], ["n"], ["no"]: return Choice.none
        case ["all"]: return .all
        default: break
        }
        var chosen: [SensorID] = []
        for word in words {
            guard word.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
                let number = Int(word), (1...question.instances.count).contains(number)
            else { return nil }
            chosen.append(question.instances[number - 1].id)
        }
        return .some(InstanceChoice(chosen, excluding: question.instances.map(\.id)))
    }
}
