import Addresses

/// Where an answer leads, after the Fetch Standard's “HTTP-redirect fetch”.
enum RedirectRule {
    /// The most that are followed.
    static let limit = 5

    private static let statuses: Set = [301, 302, 303, 307, 308]
    private static let ofBody: Set = [
        "content-encoding", "content-language", "content-location", "content-type",
    ]

    /// - Returns: `nil` where the answer is the last.
    /// - Throws: `redirectRefused` where it leads to no URL, or from https to http.
    static func next(
        after request: OutboundRequest, status: Int, location: String?
    ) throws(NetError) -> OutboundRequest? {
        guard statuses.contains(status), let location else { return nil }
        let here = request.address.origin
        guard let next = request.address.resolving(location) else {
            throw NetError(
                .redirectRefused, "\(here) redirects to what is no http or https URL.")
        }
        guard here.scheme == .http || next.origin.scheme == .https else {
            throw NetError(
                .redirectRefused,
                "\(here) redirects from https to \(next.origin), which would undo its protection.")
        }
        var (method, fields, body) = (request.method, request.fields, request.body)
        let becomesGET =
            status == 303
            ? method != "GET" && method != "HEAD"
            : (status == 301 || status == 302) && method == "POST"
        if becomesGET {
            (method, body) = ("GET", [])
            fields.removeAll { ofBody.contains($0.name.lowercased()) }
        }
        if next.origin != here {
            fields.removeAll { $0.name.lowercased() == "authorization" }
        }
        return OutboundRequest(checked: method, next, fields, body)
    }
}
