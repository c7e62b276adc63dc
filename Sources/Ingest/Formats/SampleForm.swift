/// A form in which samples are written out and read in.
public enum SampleForm: String, Hashable, Sendable, CaseIterable {
    case json = "application/json"
    /// One JSON object a line.
    case ndjson = "application/x-ndjson"
    /// RFC 4180, with a header line.
    case csv = "text/csv"
    /// Columns as bytes; see `docs/columns-format.md`.
    case columns = "application/vnd.nervous.columns"

    /// The media type with its parameters.
    public var mediaType: String {
        self == .csv ? "text/csv; charset=utf-8; header=present" : rawValue
    }
}
