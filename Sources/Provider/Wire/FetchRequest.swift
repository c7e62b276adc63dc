import API
import Addresses
import Auth
import Egress
import HTTPTypes
import Text

/// A call to another server: the JSON of the header field `Nervous-Request`.
struct FetchRequest {
    let address: WebAddress
    let method: String
    let fields: [HeaderLine]

    /// - Parameter contentType: the type of the body.
    /// - Throws: `Problem` if it is malformed.
    init(_ text: String?, contentType: String?, hasBody: Bool) throws {
        guard let text else { throw Self.fault("the header field is missing") }
        let root: JSONValue
        do throws(JSONSyntaxError) {
            root = try StrictJSON().parse(Array(text.utf8))
        } catch {
            throw Self.fault("\(error)")
        }
        guard let members = root.object, let url = root["url"]?.string else {
            throw Self.fault("must be an object with a url")
        }
        let known = ["url", "method", "headers"]
        if let unknown = members.first(where: { !known.contains($0.key) }) {
            throw Self.fault("\(unknown.key.prefix(40).debugDescription) is an unknown member")
        }
        guard let address = WebAddress(url) else { throw Self.invalidAddress }
        self.address = address
        method = try root["method"].map { try Self.string($0, "method") } ?? "GET"
        guard let list = root["headers"].map({ $0.object }) ?? [] else {
            throw Self.fault("headers must be an object")
        }
        var fields = try list.map {
            HeaderLine($0.key, try Self.string($0.value, "a header"))
        }
        let hasType = fields.contains { $0.name.lowercased() == "content-type" }
        if hasBody, !hasType, let contentType {
            fields.append(HeaderLine("Content-Type", contentType))
        }
        self.fields = fields
    }

    private static func string(_ value: JSONValue, _ what: String) throws -> String {
        guard let text = value.string else { throw fault("\(what) must be a string") }
        return text
    }

    private static func fault(_ detail: String) -> Problem {
        .invalidParameter("Nervous-Request", detail)
    }

    private static let invalidAddress = Problem(
        .invalidAddress,
        "The url is not an http or https URL in plain ASCII, without name and password, of at"
            + " most \(WebAddress.longest) bytes.",
        fix: "Write names of other scripts in their xn-- form")
}

/// The status and header of the other server's response: the JSON of the header field `Nervous-Answer`.
struct FetchReply: Encodable {
    let status: Int
    /// The URL of the response, after redirects.
    let url: String
    /// Whether there were redirects.
    let redirected: Bool
    /// By lower-case name; values of repeated fields are joined by commas.
    let headers: [String: String]

    init(_ answer: OutboundAnswer) {
        status = answer.status
        url = answer.address.description
        redirected = answer.isRedirected
        headers = Dictionary(answer.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    }

    /// The JSON in ASCII, for a header field.
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
