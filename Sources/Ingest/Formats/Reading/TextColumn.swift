/// The texts of one field while they are read; one that follows its like shares its storage.
struct TextColumn {
    private var texts: [String] = []
    private var last: [UInt8] = []

    /// - Parameter row: where it stands, at most one behind the last; what stood there is replaced.
    mutating func set(_ bytes: UnsafeBufferPointer<UInt8>, at row: Int) {
        let text: String
        if let previous = texts.last, last.count == bytes.count, last.elementsEqual(bytes) {
            text = previous
        } else {
            text = String(decoding: bytes, as: UTF8.self)
            last.removeAll(keepingCapacity: true)
            last.append(contentsOf: bytes)
        }
        if row < texts.count { texts.removeSubrange(row...) }
        texts.append(text)
    }

    func values(_ count: Int) -> [String] {
        texts.count == count ? texts : Array(texts.prefix(count))
    }
}
