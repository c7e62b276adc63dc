/// A value of a JSON text from outside (RFC 8259).
///
/// Members are looked up by their bytes and kept as they stand: texts from outside are not hashed.
enum PushJSON: Sendable {
    case null
    case flag(Bool)
    /// A number without fraction and exponent that 64 bits hold, exactly.
    case integer(Int64)
    /// Any other number; not finite where it is too large for a double.
    case number(Double)
    case text(String)
    case list([PushJSON])
    case object([Member])

    struct Member: Sendable {
        let key: String
        let value: PushJSON
    }

    /// Reads one value and nothing after it.
    ///
    /// - Throws: `malformed`, also for what is no UTF-8 or too deep; `tooLarge`.
    init(_ bytes: [UInt8]) throws(PushFault) {
        guard bytes.count <= PushLimits.bytes else {
            throw PushFault(.tooLarge, "A body has at most \(PushLimits.bytes) bytes.")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw PushFault(.malformed, "The body is not UTF-8.")
        }
        var scanner = PushJSONScanner(bytes)
        self = try scanner.document()
    }

    /// The value of a member; `nil` where this is no object, or the member is missing, `null`, or stands
    /// there twice: no two readers may understand it differently.
    subscript(key: StaticString) -> PushJSON? {
        guard case .object(let members) = self else { return nil }
        let bytes = UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        var found: PushJSON?
        for member in members where member.key.utf8.elementsEqual(bytes) {
            guard found == nil else { return nil }
            found = member.value
        }
        if case .null = found { return nil }
        return found
    }

    /// The number as a double, which may be not finite; `nil` for anything else.
    var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    /// The number as an integer where it is one, however it is written; `nil` for anything else.
    var int64: Int64? {
        switch self {
        case .integer(let integer): integer
        case .number(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// A text of at most so many bytes.
    func text(atMost limit: Int) -> String? {
        guard case .text(let text) = self, text.utf8.count <= limit else { return nil }
        return text
    }
}
