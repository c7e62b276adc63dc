extension Decoder {
    /// - Throws: `DecodingError` when the object has a member of another name.
    func refuseMembers(besides known: [String]) throws {
        let all = try container(keyedBy: AnyKey.self)
        guard let unknown = all.allKeys.first(where: { !known.contains($0.stringValue) }) else {
            return
        }
        throw DecodingError.dataCorruptedError(
            forKey: unknown, in: all, debugDescription: "an unknown member")
    }
}

/// A member of any name, to find those that are not known.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
