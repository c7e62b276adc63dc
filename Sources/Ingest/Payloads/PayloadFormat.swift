/// How a message or a line of a device is written.
public enum PayloadFormat: Hashable, Sendable {
    /// JSON (RFC 8259); a field is named by a ``JSONPath``.
    case json
    /// Values with a separator between them; a field is named by its column, from 1.
    case csv(separator: Character)
    /// `key: value` or `key=value`, one or several with commas or semicolons between; a field is named
    /// by its key, whose case does not count.
    case keyValue
    /// A regular expression that the whole line fits; a field is named by a group, or its number.
    case pattern(String)
    /// The whole text is the one value; the name of the field does not count.
    case plain
    /// Bytes; a field is named by its ``Derived/CharacteristicDecoder``, such as `s16/100`.
    case bytes
    /// The source itself names values, as a ``Reading``; a field is named by that name.
    case named
}
