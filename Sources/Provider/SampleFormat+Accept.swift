import HTTPTypes
import Ingest

extension SampleFormat {
    /// The form that the caller likes best, the first of equals; JSON when it says nothing.
    init(accept: String?) throws {
        guard let accept else {
            self = .json
            return
        }
        if let best = Accepted.best(of: accept, { Self(range: $0) }) {
            self = best
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
