public import Samples

/// Reads samples of one sensor in one pass over bytes that come piece by piece.
///
/// It is strict: every sample has every field of the sensor, once, and nothing else but `t`; a
/// sample without `t` is of now. What it holds grows with the samples, and with no more than
/// `longestRow` bytes that wait for their end.
///
/// ```swift
/// var parser = SampleParser(.csv, fields: sensor.fields, now: .now())
/// for try await piece in body { try parser.read(piece) }
/// let batch = try parser.finish()
/// ```
public struct SampleParser: ~Copyable {
    /// The most bytes of one sample.
    public static let longestRow = 1 << 20
    /// The most bytes of one text.
    public static let longestText = 1 << 16
    /// The most values, times among them, that are read at once.
    public static let mostValues = 8_000_000
    /// Bytes that are gathered before they are looked at, so that one long sample that comes in small
    /// pieces is not read again with each.
    private static let standardPiece = 1 << 16

    /// What is read, and how far.
    private enum Reader {
        case json(JSONForm), csv(CSVForm), columns(ColumnsForm)
    }

    private let form: SampleForm
    private let piece: Int
    private var reader: Reader
    private var context: RowContext
    private var buffer: ParserBuffer
    /// The bytes that came since the last look.
    private var fresh = 0
    private var isAtStart = true

    /// - Parameters:
    ///   - limit: the most samples; never more than make `mostValues` values.
    ///   - now: the time of samples that have none.
    public init(_ form: SampleForm, fields: [Field], limit: Int = .max, now: Timestamp) {
        self.init(form, fields: fields, limit: limit, now: now, piece: Self.standardPiece)
    }

    init(_ form: SampleForm, fields: [Field], limit: Int, now: Timestamp, piece: Int) {
        self.form = form
        self.piece = piece
        buffer = ParserBuffer(capacity: max(64, 2 * piece))
        reader =
            switch form {
            case .json: .json(JSONForm(isLines: false))
            case .ndjson: .json(JSONForm(isLines: true))
            case .csv: .csv(CSVForm())
            case .columns: .columns(ColumnsForm())
            }
        let most = min(limit, Self.mostValues / (1 + fields.count))
        context = RowContext(fields, limit: most, now: now)
    }

    /// The samples that were read so far.
    public var count: Int { context.columns.count }

    /// Reads on.
    ///
    /// - Throws: `SampleFault` with the first place that cannot be accepted; nothing can be read then.
    public mutating func read(_ bytes: UnsafeRawBufferPointer) throws(SampleFault) {
        var rest = bytes
        while !rest.isEmpty {
            let taken = buffer.fill(rest, atMost: piece - fresh)
            rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
            fresh += taken
            if fresh >= piece { try look(isLast: false) }
        }
    }

    /// Reads what is left, and gives every sample.
    ///
    /// - Throws: `SampleFault`, also when there is no sample.
    public consuming func finish() throws(SampleFault) -> SampleBatch {
        try look(isLast: true)
        guard context.columns.count > 0 else { throw fault(RowStop(.none)) }
        return context.columns.batch()
    }

    // MARK: - Private

    private mutating func look(isLast: Bool) throws(SampleFault) {
        fresh = 0
        let start = buffer.terminated()
        let end = start + buffer.count
        do throws(RowStop) {
            if isAtStart {
                guard buffer.count >= 3 || isLast else { return }
                if form != .columns, Self.isByteOrderMark(start) { throw RowStop(.byteOrderMark) }
                isAtStart = false
            }
            buffer.drop(try read(start, end, isLast: isLast) - start)
        } catch {
            throw fault(error)
        }
        guard buffer.count <= Self.longestRow else { throw fault(RowStop(.longRow)) }
        if buffer.count + piece > buffer.capacity {
            buffer.grow(to: min(2 * buffer.capacity, Self.longestRow + 2 * piece))
        }
    }

    private mutating func read(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isLast: Bool
    ) throws(RowStop) -> UnsafePointer<UInt8> {
        // Each is taken out and put back, so that none is copied while it changes.
        switch reader {
        case .json(var form):
            defer { reader = .json(form) }
            return try form.read(start, end, isLast: isLast, &context)
        case .csv(var form):
            defer { reader = .csv(form) }
            return try form.read(start, end, isLast: isLast, &context)
        case .columns(var form):
            defer { reader = .columns(form) }
            return try form.read(start, end, isLast: isLast, &context)
        }
    }

    private static func isByteOrderMark(_ bytes: UnsafePointer<UInt8>) -> Bool {
        bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    }

    private func fault(_ stop: RowStop) -> SampleFault {
        var place: String
        switch reader {
        case .columns(let columns):
            place = "batch \(columns.batch)"
            if let row = columns.row { place += ", sample \(row + 1)" }
        case .json where form == .json:
            place = "line \(context.line), sample \(context.columns.count + 1)"
        case .json, .csv:
            place = "line \(context.line)"
        }
        if stop.reason == .unknown {
            let name = String(decoding: context.strangeName.prefix(80), as: UTF8.self)
            place += ", field \(name.debugDescription)"
        } else if stop.field >= 0 {
            place += ", field \(context.columns.fields[stop.field].name)"
        } else if stop.field == FieldTable.time {
            place += ", field t"
        }
        return SampleFault(code: stop.code, place: place, message: stop.message)
    }
}
