import Addresses
import Egress

/// What another server answered, beside its body: the JSON of the header field `Nervous-Answer`.
struct FetchReply: Encodable {
    let status: Int
    /// Where the answer came from in the end.
    let url: String
    let redirected: Bool
    /// By name in lower case; fields of one name are joined by commas.
    let headers: [String: String]

    init(_ answer: OutboundResponse) {
        status = answer.status
        url = answer.address.description
        redirected = answer.isRedirected
        headers = Dictionary(answer.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    }

    /// The JSON in ASCII, as a header field takes it.
    func encoded() throws -> String {
        let text = String(decoding: try JSONText.encode(self), as: UTF8.self)
        return text.utf16.reduce(into: "") { result, unit in
            if (0x20..<0x7F).contains(unit), let scalar = Unicode.Scalar(unit) {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}
