import Samples

/// Finds a sensor's fields by the bytes of their names.
///
/// Sources write their fields in a constant order, so the field that followed last time is
/// tried first.
struct FieldTable: ~Copyable {
    /// The index of the time.
    static let time = -1
    /// The index before the first field of a sample.
    static let start = -2
    private static let none = -3

    let count: Int
    private let names: [[UInt8]]
    /// The first eight bytes of each name with its closing quote, and masks of the relevant bytes.
    private let heads: UnsafeMutablePointer<UInt64>
    private let masks: UnsafeMutablePointer<UInt64>
    private let lengths: UnsafeMutablePointer<Int>
    private let successors: UnsafeMutablePointer<Int>
    /// The last sample that contained each field.
    private let stamps: UnsafeMutablePointer<Int>

    init(_ fields: [Field]) {
        count = fields.count
        names = [Array("t".utf8)] + fields.map { Array($0.name.utf8) }
        heads = .allocate(capacity: count + 1)
        masks = .allocate(capacity: count + 1)
        lengths = .allocate(capacity: count + 1)
        successors = .allocate(capacity: count + 2)
        successors.initialize(repeating: Self.none, count: count + 2)
        stamps = .allocate(capacity: count + 1)
        stamps.initialize(repeating: 0, count: count + 1)
        for (index, name) in names.enumerated() {
            let head = (name + [UInt8(ascii: "\"")]).prefix(8)
            let padded = Array(head) + Array(repeating: 0, count: 8 - head.count)
            heads[index] = padded.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            masks[index] = head.count == 8 ? .max : (1 << (8 * UInt64(head.count))) - 1
            lengths[index] = name.count
        }
    }

    deinit {
        heads.deallocate()
        masks.deallocate()
        lengths.deallocate()
        successors.deallocate()
        stamps.deallocate()
    }

    /// The field whose name and closing quote start at `position`, if any.
    ///
    /// - Parameter previous: the field before it, or `start`.
    /// - Precondition: seven bytes after the name are readable.
    @inline(__always)
    func field(
        quotedAt position: UnsafePointer<UInt8>, after previous: Int
    ) -> (field: Int, length: Int)? {
        let expected = successors[previous + 2]
        if expected != Self.none, matches(expected, at: position) {
            return (expected, lengths[expected + 1])
        }
        return searched(position, previous)
    }

    /// The field with exactly this name.
    func field(named name: UnsafeBufferPointer<UInt8>) -> Int? {
        names.firstIndex { $0.elementsEqual(name) }.map { $0 - 1 }
    }

    /// Records that a sample contains a field, and detects a repeated one.
    ///
    /// - Parameter sample: a number unique to the sample, from 1.
    /// - Returns: whether the sample already contained the field.
    @inline(__always)
    func recordRepeats(_ field: Int, in sample: Int) -> Bool {
        let stamp = stamps + (field + 1)
        if stamp.pointee == sample { return true }
        stamp.pointee = sample
        return false
    }

    @inline(__always)
    func contains(_ field: Int, in sample: Int) -> Bool { stamps[field + 1] == sample }

    /// The first field that a sample lacks.
    func missing(in sample: Int) -> Int? {
        (0..<count).first { stamps[$0 + 1] != sample }
    }

    @inline(__always)
    private func matches(_ field: Int, at position: UnsafePointer<UInt8>) -> Bool {
        let head = UnsafeRawPointer(position).loadUnaligned(as: UInt64.self)
        guard head & masks[field + 1] == heads[field + 1] else { return false }
        return lengths[field + 1] < 8 || ends(field, at: position)
    }

    private func ends(_ field: Int, at position: UnsafePointer<UInt8>) -> Bool {
        let name = names[field + 1]
        for index in 8..<name.count where position[index] != name[index] { return false }
        return position[name.count] == UInt8(ascii: "\"")
    }

    @inline(never)
    private func searched(
        _ position: UnsafePointer<UInt8>, _ previous: Int
    ) -> (field: Int, length: Int)? {
        for field in -1..<count where matches(field, at: position) {
            successors[previous + 2] = field
            return (field, lengths[field + 1])
        }
        return nil
    }
}
