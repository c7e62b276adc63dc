import Auth
import Samples
import Text

extension ServedHost {
    /// Adds a sample with this level to `gauge`.
    func gauge(_ level: Double, at time: Timestamp? = nil) async {
        await collect("gauge", [.number(level), .integer(0), .text("on"), .text("")], at: time)
    }

    /// The levels of the samples on a page.
    static func levels(_ answer: Answer) throws -> [Double] {
        (try answer.json()["items"]?.array ?? []).compactMap { $0["level"]?.number?.double }
    }

    /// The target of `next` in `Link`.
    static func next(_ answer: Answer) throws -> String? {
        guard let link = answer["link"] else { return nil }
        guard let target = link.wholeMatch(of: /<(\/[^>]*)>; rel="next"/) else {
            throw Answer.NotHTTP(text: link)
        }
        return String(target.1)
    }

    /// The samples of `gauge` that a query returns.
    func levels(_ query: String) async throws -> [Double] {
        try Self.levels(
            await send(Call("GET", "/api/v1/sensors/gauge/samples?\(query)", token: owner)))
    }
}
