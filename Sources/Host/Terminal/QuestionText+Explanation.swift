import Auth

extension QuestionText {
    /// What the answers mean, for who asks before they answer.
    func explanation(columns: Int) -> [String] {
        let statistics =
            isRaw
            ? [
                "only statistics: means, counts and the like of five samples or more, kept until you"
                    + " change it."
            ] : []
        let terms =
            takesTerms
            ? [
                "own terms: how many samples a second, how finely, how far back, until when, and"
                    + " whether also when nobody watches."
            ] : []
        let choice =
            question.instances.isEmpty
            ? []
            : [
                "\(question.instances.count) sensors fit. After your letter you choose which of them"
                    + " it may use."
            ]
        let calls =
            origin == nil
            ? []
            : [
                "The host makes these calls for it, to this server alone: where an answer leads"
                    + " elsewhere it goes on only if that is allowed, too."
            ]
        let paragraphs =
            [
                "\(name) would get \(wish)" + (fields.isEmpty ? "." : ": \(fields)."),
                isWrite
                    ? "It learns nothing by that. Others take what it publishes for the sensor's own."
                    : "That can reveal \(revelation).",
            ] + choice + calls + [
                "It gets it through this host alone, and every use is listed by:"
                    + " nervous log \(name)",
                "once: until this run ends.", "always: until you change it.",
            ] + statistics + terms + [
                "no: not in this run. After \(DenialCount.limit) of these it is not asked again.",
                "never: refused until you change it.",
                "To change it: nervous permissions \(name)",
                "To be asked again: nervous permissions reset \(name)",
            ]
        return paragraphs.flatMap { CautiousText.wrapped($0, width: columns, indent: "  ") }
            + claim("Claims:  ", atMost: 40)
    }
}
