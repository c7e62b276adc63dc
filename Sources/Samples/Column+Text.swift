extension Column {
    /// Bytes of the texts of some rows in UTF-8; 0 for a column that holds none.
    public func textBytes(of rows: Range<Int>) -> Int {
        guard case .texts(let texts) = self else { return 0 }
        return texts[rows].reduce(0) { $0 + $1.utf8.count }
    }
}

extension SampleBatch {
    /// Bytes of all texts of some rows in UTF-8.
    public func textBytes(of rows: Range<Int>) -> Int {
        columns.reduce(0) { $0 + $1.textBytes(of: rows) }
    }

    /// Bytes of all texts in UTF-8.
    public var textBytes: Int { textBytes(of: indices) }
}
