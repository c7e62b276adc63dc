import HTTPTypes
import SampleForms

extension SampleForm {
    /// The form that the caller likes best, the first of equals; JSON when it says nothing.
    init(accept: String?) throws {
        guard let accept else {
            self = .json
            return
        }
        var best: (form: Self, quality: Double)?
        for range in accept.split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard let form = parts.first.flatMap({ Self(range: $0.lowercased()) }) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
            let quality = weight.flatMap { Double($0.dropFirst(2)) } ?? 1
            if quality > best?.quality ?? 0 { best = (form, quality) }
        }
        if let best {
            self = best.form
            return
        }
        throw Problem(
            status: .notAcceptable, code: "not-acceptable", title: "No form of it is acceptable",
            detail: "Samples come as \(Self.allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    private init?(range: String) {
        switch range {
        case "*/*", "application/*": self = .json
        case "text/*": self = .csv
        default: self.init(rawValue: range)
        }
    }
}
