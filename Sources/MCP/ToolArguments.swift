import API
import Text

/// The arguments of a call of a tool; unknown ones are refused.
struct ToolArguments {
    private let value: JSONValue

    /// - Throws: `ToolFailure` for an argument that is not among `names`.
    init(_ value: JSONValue, _ names: [String]) throws(ToolFailure) {
        self.value = value
        for member in value.object ?? [] where !names.contains(member.key) {
            let name = UntrustedText.plain(member.key, limit: 40)
            throw ToolFailure(
                "There is no argument \(name). The arguments are: \(names.joined(separator: ", "))."
            )
        }
    }

    func text(_ name: String) throws(ToolFailure) -> String? {
        guard let member = member(name) else { return nil }
        guard let text = member.string, text.utf8.count <= 1000 else {
            throw ToolFailure("\(name) must be a text of at most 1000 bytes.")
        }
        return text
    }

    func required(_ name: String) throws(ToolFailure) -> String {
        guard let text = try text(name), !text.isEmpty else {
            throw ToolFailure("\(name) is missing.")
        }
        return text
    }

    /// A whole number in a range; `standard` if it is missing.
    func integer(
        _ name: String, in range: ClosedRange<Int>, standard: Int
    ) throws(ToolFailure) -> Int {
        guard let member = member(name) else { return standard }
        guard let number = member.number?.int64, let whole = Int(exactly: number),
            range.contains(whole)
        else {
            throw ToolFailure(
                "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return whole
    }

    func flag(_ name: String) throws(ToolFailure) -> Bool? {
        guard let member = member(name) else { return nil }
        guard let flag = member.bool else { throw ToolFailure("\(name) must be true or false.") }
        return flag
    }

    /// A list of at most `limit` texts.
    func texts(_ name: String, limit: Int) throws(ToolFailure) -> [String]? {
        guard let member = member(name) else { return nil }
        let texts = member.array?.compactMap(\.string)
        guard let texts, texts.count == member.array?.count, (1...limit).contains(texts.count),
            texts.allSatisfy({ $0.utf8.count <= 1000 })
        else { throw ToolFailure("\(name) must be a list of 1 to \(limit) texts.") }
        return texts
    }

    /// A time as the API takes it.
    func time(_ name: String) throws(ToolFailure) -> String? {
        if let number = member(name)?.number { return number.literal }
        return try text(name)
    }

    /// An object of numbers, texts and flags.
    func scalars(_ name: String) throws(ToolFailure) -> [String: JSONScalar]? {
        guard let member = member(name) else { return nil }
        guard let members = member.object else {
            throw ToolFailure("\(name) must be an object.")
        }
        var scalars: [String: JSONScalar] = [:]
        for one in members {
            switch one.value.content {
            case .bool(let flag): scalars[one.key] = .flag(flag)
            case .number(let number): scalars[one.key] = .number(number.double)
            case .string(let text): scalars[one.key] = .text(text)
            case .null, .array, .object:
                throw ToolFailure("\(name) takes numbers, texts, true and false.")
            }
        }
        return scalars
    }

    /// The members of an object.
    func object(_ name: String, _ names: [String]) throws(ToolFailure) -> ToolArguments? {
        guard let member = member(name) else { return nil }
        guard member.object != nil else { throw ToolFailure("\(name) must be an object.") }
        return try ToolArguments(member, names)
    }

    /// The parameters of a range, of fields and of conditions, as the API takes them.
    ///
    /// - Parameter from: where the range begins if the argument is missing.
    func range(
        from: String? = nil
    ) throws(ToolFailure) -> [(name: String, value: String?)] {
        let fields = try texts("fields", limit: 32)?.joined(separator: ",")
        let conditions = try texts("where", limit: 8) ?? []
        return [("from", try time("from") ?? from), ("to", try time("to")), ("fields", fields)]
            + conditions.map { ("where", $0) }
    }

    /// An argument; one that is `null` counts as missing.
    private func member(_ name: String) -> JSONValue? {
        value[name].flatMap { $0.isNull ? nil : $0 }
    }
}
