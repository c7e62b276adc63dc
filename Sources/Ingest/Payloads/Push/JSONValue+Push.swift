import Text

extension JSONValue {
    /// Reads a body that an app pushed.
    ///
    /// - Throws: `malformed`, also for what is no UTF-8 or too deep; `tooLarge`.
    init(pushed bytes: [UInt8]) throws(PushFault) {
        guard bytes.count <= PushLimits.bytes else {
            throw PushFault(.tooLarge, "A body has at most \(PushLimits.bytes) bytes.")
        }
        do {
            self = try StrictJSON(
                maximumBytes: PushLimits.bytes, maximumDepth: PushLimits.depth
            ).parse(bytes)
        } catch {
            throw PushFault(
                .malformed, "The body is no JSON at \(error.position): \(error.message).")
        }
    }

    /// The value of a member; `nil` where this is no object, or the member is missing or `null`.
    func member(_ key: String) -> JSONValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }

    /// The number; `nil` for anything else.
    var double: Double? { number?.double }

    /// The number as an integer where it is one, however it is written; `nil` for anything else.
    var int64: Int64? { number?.int64 }

    /// A text of at most so many bytes.
    func text(atMost limit: Int) -> String? {
        guard let text = string, text.utf8.count <= limit else { return nil }
        return text
    }
}
