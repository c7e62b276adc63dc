import Addresses

/// What an answer means for the thing that was sent.
enum Verdict: Hashable {
    case delivered(status: Int)
    /// How it waits from now on, and why, one sentence.
    case failed(Delivery.State, String)

    /// Servers that say so want to be asked again: RFC 9110, section 15, RFC 8470, section 5.2, and
    /// RFC 6585, section 4.
    private static let passing: Set<Int> = [408, 425, 429]

    init(_ reply: Reply, at address: WebAddress) {
        let server = address.origin
        switch reply {
        case .failed(let reason): self = .failed(.waiting, reason)
        case .answered(let status) where (200..<300).contains(status):
            self = .delivered(status: status)
        case .answered(let status) where status >= 500 || Self.passing.contains(status):
            self = .failed(.waiting, "\(server) answered \(status): it cannot take it now.")
        case .answered(401), .answered(403):
            self = .failed(.refused, "\(server) does not let it in without the right token.")
        case .answered(let status) where (300..<400).contains(status):
            self = .failed(
                .refused, "\(server) answered \(status): it wants it at another address.")
        case .answered(let status):
            self = .failed(.refused, "\(server) answered \(status) and refused it.")
        }
    }
}
