public import Auth
import Samples

/// The terms of a grant in JSON.
public struct TermsDescription: Codable, Sendable {
    public let access: String
    /// Samples a second.
    public var rate: Double?
    /// In the field's unit.
    public var precision: Double?
    /// A span such as `1h`.
    public var history: String?
    /// Milliseconds since 1970.
    public var expires: Double?
    public var background: Bool?
    /// The instances of the kind that it is for; not there where it is for all.
    public var only: [String]?
    /// Those that were there when the person chose, and were not chosen.
    public var passedOver: [String]?

    /// Terms as a person said them; the host checks them.
    public init(
        access: String, rate: Double?, precision: Double?, history: String?, expires: Double?,
        background: Bool? = nil
    ) {
        self.access = access
        self.rate = rate
        self.precision = precision
        self.history = history
        self.expires = expires
        self.background = background
    }

    /// Terms as they are kept.
    public init(_ terms: Terms) {
        access = terms.access.rawValue
        rate = terms.maximumRate
        precision = terms.precision
        history = terms.history?.span
        expires = terms.expires?.milliseconds
        background = terms.background
        only = terms.only?.chosen.map(\.description)
        passedOver = terms.only?.excluded.map(\.description)
    }

    /// The terms without the choice of instances, which is checked against what there is.
    ///
    /// - Throws: `Problem` when a member is out of its range.
    func terms() throws -> Terms {
        guard let access = Access(rawValue: access) else {
            throw Problem.invalidBody("access must be raw, stats or write.")
        }
        guard access != .write || rate == nil && precision == nil && history == nil else {
            throw Problem.invalidBody("rate, precision and history are for reading.")
        }
        for (name, number) in [("rate", rate), ("precision", precision)] {
            guard let number else { continue }
            guard number.isFinite, number > 0 else {
                throw Problem.invalidBody("\(name) must be a number above zero.")
            }
        }
        let span = try history.map { text in
            guard let span = Duration(span: text), span > .zero else {
                throw Problem.invalidBody("history must be a span such as 1h.")
            }
            return span
        }
        let end = try expires.map { milliseconds in
            guard let end = Timestamp(milliseconds: milliseconds) else {
                throw Problem.invalidBody("expires must be milliseconds since 1970.")
            }
            return end
        }
        return Terms(
            access: access, maximumRate: rate, precision: precision, history: span, expires: end,
            background: background ?? true)
    }
}
