import Samples

/// What stands before, between and behind the values of a row.
struct RowShape: ~Copyable {
    /// The most bytes of a row without its texts.
    let most: Int
    private let bytes: UnsafeMutablePointer<UInt8>
    private let starts: [Int]
    private let lengths: [Int]

    init(_ form: SampleForm, _ fields: [Field]) {
        var parts: [[UInt8]]
        if form == .csv {
            parts = [[]] + fields.map { _ in [UInt8(ascii: ",")] } + [[0x0D, 0x0A]]
        } else {
            parts = [Array(#"{"t":"#.utf8)]
            for field in fields {
                var sink = ByteSink(capacity: TextWriter.most(field.name.utf8.count) + 2)
                sink.append([UInt8(ascii: ",")])
                var name = field.name
                name.withUTF8 { TextWriter.json($0, &sink.next) }
                sink.append([UInt8(ascii: ":")])
                parts.append(Array(UnsafeBufferPointer(start: sink.start, count: sink.count)))
            }
            parts.append(form == .ndjson ? [UInt8(ascii: "}"), 0x0A] : [UInt8(ascii: "}")])
        }
        parts.append(Array("null".utf8))
        // Whole words are copied, so each begins at one.
        var (starts, size) = ([Int](), 0)
        for part in parts {
            starts.append(size)
            size += (part.count + 7) / 8 * 8
        }
        bytes = .allocate(capacity: size)
        bytes.initialize(repeating: 0, count: size)
        for (start, part) in zip(starts, parts) {
            for (offset, byte) in part.enumerated() { bytes[start + offset] = byte }
        }
        self.starts = starts
        lengths = parts.map(\.count)
        most = lengths.reduce(0, +) + (fields.count + 2) * NumberWriter.longest
    }

    deinit { bytes.deallocate() }

    /// Copies one of the parts; may overwrite seven bytes behind it.
    @inline(__always)
    func copy(_ part: Int, _ place: inout Digits.Place) {
        let length = lengths[part]
        let source = UnsafeRawPointer(bytes + starts[part])
        let target = UnsafeMutableRawPointer(place)
        var offset = 0
        while offset < length {
            let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        place += length
    }

    func copyNull(_ place: inout Digits.Place) { copy(lengths.count - 1, &place) }
}
