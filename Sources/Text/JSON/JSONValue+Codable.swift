extension JSONNumber {
    /// A number that was computed; `nil` for infinity and NaN, which JSON cannot represent.
    public init?(_ double: Double) {
        guard double.isFinite else { return nil }
        self.init(literal: "\(double)")
    }
}

extension JSONValue {
    /// A value that was computed rather than read; its position is the beginning of a text.
    ///
    /// ```swift
    /// JSONValue(["bits": JSONValue(1.5), "outcomes": JSONValue(nil)]).text()
    /// ```
    public init(_ content: Content) {
        self.init(content, at: JSONPosition(line: 1, column: 1))
    }

    /// A number; `null` for `nil`, infinity and NaN.
    public init(_ number: Double?) {
        self.init(number.flatMap(JSONNumber.init).map(Content.number) ?? .null)
    }

    /// An integer; `null` for `nil`.
    public init(_ integer: Int?) {
        self.init(integer.map { .number(JSONNumber(literal: "\($0)", digits: $0)) } ?? .null)
    }

    /// A string.
    public init(_ text: String) {
        self.init(.string(text))
    }

    /// A list.
    public init(_ elements: [JSONValue]) {
        self.init(.array(elements))
    }

    /// An object with these members, in order.
    public init(_ members: KeyValuePairs<String, JSONValue>) {
        self.init(members.map { ($0.key, $0.value) })
    }

    /// An object with these members, in order.
    public init(_ members: [(key: String, value: JSONValue)]) {
        let start = JSONPosition(line: 1, column: 1)
        self.init(
            .object(members.map { JSONMember(key: $0.key, position: start, value: $0.value) }))
    }
}

extension JSONValue: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads a value; its positions, and the order of an object's members, are not known.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Key.self) {
            let keys = members.allKeys.sorted { $0.stringValue < $1.stringValue }
            self.init(
                try keys.map { ($0.stringValue, try members.decode(JSONValue.self, forKey: $0)) })
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var list: [JSONValue] = []
            while !elements.isAtEnd { list.append(try elements.decode(JSONValue.self)) }
            self.init(list)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self.init(.null)
        } else if let flag = try? value.decode(Bool.self) {
            self.init(.bool(flag))
        } else if let integer = try? value.decode(Int.self) {
            self.init(integer)
        } else if let number = try? value.decode(Double.self) {
            self.init(number)
        } else {
            self.init(try value.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch content {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: Key.self)
            for member in members { try container.encode(member.value, forKey: Key(member.key)) }
        case .null, .bool, .number, .string:
            var container = encoder.singleValueContainer()
            switch content {
            case .bool(let flag): try container.encode(flag)
            case .number(let number):
                if let integer = Int(number.literal) {
                    try container.encode(integer)
                } else {
                    try container.encode(number.double)
                }
            case .string(let text): try container.encode(text)
            default: try container.encodeNil()
            }
        }
    }
}
