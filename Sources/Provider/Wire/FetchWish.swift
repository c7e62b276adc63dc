import Addresses
import Auth
import Egress
import HTTPTypes
import Text

/// What a caller wants of another server: the JSON of the header field `Nervous-Request`.
struct FetchWish {
    let address: WebAddress
    let method: String
    let fields: [HeaderField]

    /// - Parameter contentType: of the call, and so of its body.
    /// - Throws: `Problem` where it is not one.
    init(_ text: String?, contentType: String?, hasBody: Bool) throws {
        guard let text else { throw Self.fault("the header field is needed") }
        let root: JSONValue
        do throws(JSONSyntaxError) {
            root = try StrictJSON().parse(Array(text.utf8))
        } catch {
            throw Self.fault("\(error)")
        }
        guard let members = root.object, let url = root["url"]?.string else {
            throw Self.fault("an object with a url is needed")
        }
        let known = ["url", "method", "headers"]
        if let unknown = members.first(where: { !known.contains($0.key) }) {
            throw Self.fault("\(unknown.key.prefix(40).debugDescription) means nothing here")
        }
        guard let address = WebAddress(url) else { throw Self.invalidAddress }
        self.address = address
        method = try root["method"].map { try Self.string($0, "method") } ?? "GET"
        guard let list = root["headers"].map({ $0.object }) ?? [] else {
            throw Self.fault("headers must be an object")
        }
        var fields = try list.map {
            HeaderField($0.key, try Self.string($0.value, "a header"))
        }
        let hasType = fields.contains { $0.name.lowercased() == "content-type" }
        if hasBody, !hasType, let contentType {
            fields.append(HeaderField("Content-Type", contentType))
        }
        self.fields = fields
    }

    private static func string(_ value: JSONValue, _ what: String) throws -> String {
        guard let text = value.string else { throw fault("\(what) must be a text") }
        return text
    }

    private static func fault(_ detail: String) -> Problem {
        .invalidParameter("Nervous-Request", detail)
    }

    private static let invalidAddress = Problem(
        status: .badRequest, code: "invalid-address", title: "This is no address of a server",
        detail:
            "The url is not an http or https URL in plain ASCII, without name and password, of at"
            + " most \(WebAddress.longest) bytes.",
        fix: "Write names of other scripts in their xn-- form")
}
