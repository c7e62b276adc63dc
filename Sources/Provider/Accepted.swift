/// What a header field `Accept` says.
enum Accepted {
    /// The form that the caller likes best, the first of equals; `nil` where it likes none.
    ///
    /// - Parameter form: of a media range in lower case, without its parameters.
    static func best<Form>(of accept: String, _ form: (String) -> Form?) -> Form? {
        var best: (form: Form, quality: Double)?
        for range in accept.split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard let form = parts.first.flatMap({ form($0.lowercased()) }) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
            let quality = weight.flatMap { Double($0.dropFirst(2)) } ?? 1
            if quality > best?.quality ?? 0 { best = (form, quality) }
        }
        return best?.form
    }
}
