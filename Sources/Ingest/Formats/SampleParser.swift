public import Samples

/// Parses samples of one sensor incrementally, in a single pass.
///
/// It is strict: every sample has exactly the fields of the sensor and optionally `t`; samples
/// without `t` get the time passed as `now`. Besides the samples, it buffers at most about
/// `longestRow` bytes of input.
///
/// ```swift
/// var parser = SampleParser(.csv, fields: sensor.fields, now: .now())
/// for try await piece in body { try parser.read(piece) }
/// let batch = try parser.finish()
/// ```
public struct SampleParser: ~Copyable {
    /// The maximum size of one sample in bytes.
    public static let longestRow = 1 << 20
    /// The maximum size of one text in bytes.
    public static let longestText = 1 << 16
    /// The maximum number of values per parser, times included.
    public static let maximumValues = 8_000_000
    /// How many bytes are buffered before they are parsed, so that a long sample that arrives in small
    /// pieces is not parsed again with each of them.
    private static let standardPiece = 1 << 16

    /// The reader of the format, with its progress.
    private enum Reader {
        case json(JSONReader), csv(CSVReader), columns(ColumnsReader), senml(SenMLReader)
    }

    private let format: SampleFormat
    private let piece: Int
    private var reader: Reader
    private var context: RowBuilder
    private var buffer: InputBuffer
    /// Bytes buffered since the last parse.
    private var fresh = 0
    private var isAtStart = true

    /// Creates a parser for samples with the given fields.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of samples; `maximumValues` applies in any case.
    ///   - now: the time of samples without `t`.
    public init(_ format: SampleFormat, fields: [Field], limit: Int = .max, now: Timestamp) {
        self.init(format, fields: fields, limit: limit, now: now, piece: Self.standardPiece)
    }

    init(_ format: SampleFormat, fields: [Field], limit: Int, now: Timestamp, piece: Int) {
        self.format = format
        self.piece = piece
        buffer = InputBuffer(capacity: max(64, 2 * piece))
        reader =
            switch format {
            case .json: .json(JSONReader(isLines: false))
            case .ndjson: .json(JSONReader(isLines: true))
            case .csv: .csv(CSVReader())
            case .columns: .columns(ColumnsReader())
            case .senml: .senml(SenMLReader())
            }
        let rowLimit = min(limit, Self.maximumValues / (1 + fields.count))
        context = RowBuilder(fields, limit: rowLimit, now: now)
    }

    /// The number of samples read so far.
    public var count: Int { context.columns.count }

    /// Parses the next piece of input.
    ///
    /// - Throws: `SampleFault` for the first invalid sample; the parser must not be used afterwards.
    public mutating func read(_ bytes: UnsafeRawBufferPointer) throws(SampleFault) {
        var rest = bytes
        while !rest.isEmpty {
            let taken = buffer.fill(rest, atMost: piece - fresh)
            rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
            fresh += taken
            if fresh >= piece { try parseBuffer(isLast: false) }
        }
    }

    /// Parses the remaining input and returns all samples.
    ///
    /// - Throws: `SampleFault`, also if there are no samples.
    public consuming func finish() throws(SampleFault) -> SampleBatch {
        try parseBuffer(isLast: true)
        guard context.columns.count > 0 else { throw fault(RowError(.none)) }
        return context.columns.batch()
    }

    private mutating func parseBuffer(isLast: Bool) throws(SampleFault) {
        fresh = 0
        let start = buffer.terminated()
        let end = start + buffer.count
        do throws(RowError) {
            if isAtStart {
                guard buffer.count >= 3 || isLast else { return }
                if format != .columns, Self.isByteOrderMark(start) {
                    throw RowError(.byteOrderMark)
                }
                isAtStart = false
            }
            buffer.drop(try read(start, end, isLast: isLast) - start)
        } catch {
            throw fault(error)
        }
        guard buffer.count <= Self.longestRow else { throw fault(RowError(.longRow)) }
        if buffer.count + piece > buffer.capacity {
            buffer.grow(to: min(2 * buffer.capacity, Self.longestRow + 2 * piece))
        }
    }

    private mutating func read(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isLast: Bool
    ) throws(RowError) -> UnsafePointer<UInt8> {
        // The reader is moved out and back so that mutating it makes no copy.
        switch reader {
        case .json(var json):
            defer { reader = .json(json) }
            return try json.read(start, end, isLast: isLast, &context)
        case .csv(var csv):
            defer { reader = .csv(csv) }
            return try csv.read(start, end, isLast: isLast, &context)
        case .columns(var columns):
            defer { reader = .columns(columns) }
            return try columns.read(start, end, isLast: isLast, &context)
        case .senml(var senml):
            reader = .columns(ColumnsReader())
            defer { reader = .senml(senml) }
            return try senml.read(start, end, isLast: isLast, &context)
        }
    }

    private static func isByteOrderMark(_ bytes: UnsafePointer<UInt8>) -> Bool {
        bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    }

    private func fault(_ stop: RowError) -> SampleFault {
        var location: String
        switch reader {
        case .columns(let columns):
            location = "batch \(columns.batch)"
            if let row = columns.row { location += ", sample \(row + 1)" }
        case .json where format == .json:
            location = "line \(context.line), sample \(context.columns.count + 1)"
        case .json, .csv:
            location = "line \(context.line)"
        case .senml(let senml):
            location = "line \(context.line), record \(senml.record)"
        }
        if stop.reason == .unknown {
            let name = String(decoding: context.unknownName.prefix(80), as: UTF8.self)
            location += ", field \(name.debugDescription)"
        } else if stop.field >= 0 {
            location += ", field \(context.columns.fields[stop.field].name)"
        } else if stop.field == FieldTable.time {
            location += ", field t"
        }
        if stop.reason == .unit, case .senml(let senml) = reader, let unit = senml.rejectedUnit {
            location += ", unit \(unit.prefix(80).debugDescription)"
        }
        return SampleFault(code: stop.code, location: location, message: stop.message)
    }
}

/// Buffered input, followed by zeros.
struct InputBuffer: ~Copyable {
    /// How many bytes beyond the last one a reader may access.
    static let slack = 16

    private(set) var capacity: Int
    private(set) var count = 0
    private var bytes: UnsafeMutablePointer<UInt8>

    init(capacity: Int) {
        self.capacity = capacity
        bytes = .allocate(capacity: capacity + Self.slack)
    }

    deinit { bytes.deallocate() }

    /// Appends as many bytes as fit.
    ///
    /// - Returns: the number of bytes appended.
    mutating func fill(_ source: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
        let taken = min(capacity - count, source.count, limit)
        if taken > 0, let base = source.baseAddress {
            UnsafeMutableRawPointer(bytes + count).copyMemory(from: base, byteCount: taken)
            count += taken
        }
        return taken
    }

    /// The first byte; zeros follow the last one.
    mutating func terminated() -> UnsafePointer<UInt8> {
        (bytes + count).update(repeating: 0, count: Self.slack)
        return UnsafePointer(bytes)
    }

    /// Removes the first bytes.
    mutating func drop(_ taken: Int) {
        count -= taken
        if taken > 0 { bytes.update(from: bytes + taken, count: count) }
    }

    mutating func grow(to larger: Int) {
        guard larger > capacity else { return }
        let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + Self.slack)
        new.update(from: bytes, count: count)
        bytes.deallocate()
        bytes = new
        capacity = larger
    }
}
