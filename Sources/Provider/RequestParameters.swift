import Auth
import Foundation
import Hummingbird
import LAE
import Samples
import Text

extension Request {
    /// The sensor in the path.
    func sensor(_ context: ProviderContext) throws -> SensorID {
        let name = context.parameters.get("sensor") ?? ""
        guard let id = SensorID(name) ?? name.removingPercentEncoding.flatMap({ SensorID($0) })
        else {
            throw Problem.notFound("\(name.prefix(80).debugDescription) is not a sensor's name.")
        }
        return id
    }

    /// Rejects unknown and repeated parameters, which are probably misspelt or contradictory.
    ///
    /// - Parameter repeating: parameters that may be repeated.
    /// - Throws: `Problem` for an unknown parameter, or a repeated one.
    func rejectParameters(
        except known: Set<Substring>, repeating: Set<Substring> = []
    ) throws {
        var seen: Set<Substring> = []
        for (name, _) in uri.queryParameters where !repeating.contains(name) {
            guard known.contains(name) else {
                let names = known.union(repeating).sorted().joined(separator: ", ")
                throw Problem.invalidParameter(
                    String(name.prefix(40)), "unknown; the parameters are: \(names)")
            }
            guard seen.insert(name).inserted else {
                throw Problem.invalidParameter(String(name), "repeated")
            }
        }
    }

    func parameter(_ name: Substring) -> String? {
        uri.queryParameters[name].map(String.init)
    }

    /// A parameter that is `true` or `false`; `false` if missing.
    func flag(_ name: Substring) throws -> Bool {
        switch parameter(name) {
        case nil, "false": return false
        case "true": return true
        default: throw Problem.invalidParameter(String(name), "must be true or false")
        }
    }

    /// A flag that needs no value, such as `all` in `?all`; the values `true` and `false` are accepted, too.
    func bareFlag(_ name: Substring) throws -> Bool {
        parameter(name) == "" ? true : try flag(name)
    }

    /// A parameter whose value is one of an enumeration; `nil` if missing.
    func choice<Choice>(_ name: Substring) throws -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        try parameter(name).map { text in
            guard let choice = Choice(rawValue: text) else {
                let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.invalidParameter(String(name), "must be one of: \(known)")
            }
            return choice
        }
    }

    /// The range from the parameter `from` to the parameter `to`; without one of them, open on that
    /// side.
    func range(now: Timestamp) throws -> TimeRange {
        let from = try parameter("from").map { try Self.moment("from", $0, now) }
        let to = try parameter("to").map { try Self.moment("to", $0, now) }
        return TimeRange(from: from ?? .distantPast, to: to ?? .distantFuture)
    }

    /// The names of a comma-separated list; `nil` if missing.
    func list(_ name: Substring) throws -> [String]? {
        guard let text = parameter(name) else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ !$0.isEmpty }), Set(names).count == names.count else {
            throw Problem.invalidParameter(
                String(name), "must be a comma-separated list of different names")
        }
        return names
    }

    /// The `Link` to the next page: the same request with another cursor.
    func link(toNext cursor: String) -> String {
        let kept = (uri.query ?? "").split(separator: "&").filter { !$0.hasPrefix("cursor=") }
        let query = kept.map(String.init) + ["cursor=\(cursor)"]
        return #"<\#(uri.path)?\#(query.joined(separator: "&"))>; rel="next""#
    }

    func limit(default standard: Int = 100, atMost maximum: Int = 10_000) throws -> Int {
        guard let text = parameter("limit") else { return standard }
        guard let number = Int(text), number >= 1 else {
            throw Problem.invalidParameter("limit", "must be an integer of at least 1")
        }
        return min(number, maximum)
    }

    func conditions() throws -> [Condition] {
        try uri.queryParameters.getAll("where").map { text in
            do throws(LAEError) {
                return try Condition(parsing: String(text))
            } catch {
                var problem = Problem(error)
                problem.detail = "where: " + problem.detail
                throw problem
            }
        }
    }

    /// Milliseconds since 1970, a time in RFC 3339, or a duration before now such as `-15m`.
    static func moment(
        _ name: String, _ text: String, _ now: Timestamp
    ) throws -> Timestamp {
        if text == "now" { return now }
        if text.hasPrefix("-"), let span = Duration(span: String(text.dropFirst())) {
            return now.advanced(byMicroseconds: -span.wholeMicroseconds)
        }
        if let number = JSONNumber(literal: text),
            let time = Timestamp(milliseconds: number.double)
        {
            return time
        }
        if let time = Timestamp(rfc3339: text) { return time }
        throw invalidMoment(name)
    }

    /// A parameter that is none of the forms of ``moment(_:_:_:)``.
    static func invalidMoment(_ name: String) -> Problem {
        Problem.invalidParameter(
            name,
            "must be a time such as 2024-06-01T18:30:00Z, milliseconds since 1970, or a duration"
                + " before now such as -15m")
    }
}
