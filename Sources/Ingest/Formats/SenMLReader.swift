import Samples

/// Reads samples as a pack of SenML (RFC 8428): an array of records, each with one value of one field.
///
/// The records of one time are a sample. The last part of a record's name, after `/` or `:`, is the name of a
/// field; before it all records have the same name, that of the device. A record whose whole name is
/// that of the device belongs to the only field of the sensor, or to the only one with its unit.
struct SenMLReader {
    private enum Phase {
        case start
        /// Before a record.
        case element(isFirst: Bool)
        /// After a record.
        case separator
        case tail
    }

    /// The record that is read, from 1; 0 before the first.
    private(set) var record = 0
    /// The unit of the record that was rejected for it.
    private(set) var rejectedUnit: String?
    private var phase = Phase.start
    private var base = SenMLBase()
    private var device: String?
    private var targets: [TargetKey: Target] = [:]
    private var cells = SenMLCells()

    private struct TargetKey: Hashable {
        let name: String
        let unit: String?
    }

    /// What the name of a record refers to.
    private struct Target {
        let device: Substring
        let field: Int
        /// The field of sums, if the sensor has one.
        let sum: Int?
    }

    /// Reads all complete records.
    ///
    /// - Precondition: the bytes are followed by 16 zeros.
    /// - Returns: the start of the first incomplete record, where reading continues with more input.
    mutating func read(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) -> UnsafePointer<UInt8> {
        var position = start
        while true {
            let (begin, line) = (position, context.line)
            do throws(RowError) {
                guard try step(&position, end, isLast, &context) else { return end }
            } catch {
                guard error.reason == .incomplete, !isLast else { throw error }
                context.line = line
                return begin
            }
        }
    }

    private mutating func step(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isLast: Bool,
        _ context: inout RowBuilder
    ) throws(RowError) -> Bool {
        JSONObjectReader.skipSpace(&position, &context.line)
        switch phase {
        case .start:
            guard position.pointee == UInt8(ascii: "[") else {
                throw JSONObjectReader.unexpected(position, end)
            }
            position += 1
            phase = .element(isFirst: true)
        case .element(let isFirst):
            if isFirst, position.pointee == UInt8(ascii: "]") {
                position += 1
                phase = .tail
                return true
            }
            var line = context.line
            let found = try SenMLRecord.read(&position, end, &line, context.powers)
            context.line = line
            record += 1
            try take(found, &context)
            phase = .separator
        case .separator:
            switch position.pointee {
            case UInt8(ascii: ","): phase = .element(isFirst: false)
            case UInt8(ascii: "]"): phase = .tail
            default: throw JSONObjectReader.unexpected(position, end)
            }
            position += 1
        case .tail:
            guard position == end else { throw RowError(.textAfterEnd) }
            guard isLast else { return false }
            if let gap = cells.gap {
                record = gap.record
                throw RowError(.missing, field: gap.field)
            }
            try cells.move(to: &context)
            return false
        }
        return true
    }

    private mutating func take(
        _ found: SenMLRecord, _ context: inout RowBuilder
    ) throws(RowError) {
        try base.update(from: found)
        // A record with base members alone sets them for the records that follow.
        guard let entry = try base.resolved(found, now: context.now) else { return }
        let target = try target(of: TargetKey(name: entry.name, unit: entry.unit), &context)
        if let device, device != target.device { throw RowError(.otherDevice) }
        device = String(target.device)
        if let value = entry.value {
            try store(value, unit: entry.unit, in: target.field, at: entry.time, context)
        }
        guard let sum = entry.sum else { return }
        guard let field = target.sum ?? (entry.value == nil ? target.field : nil) else {
            throw RowError(.noSumField, field: target.field)
        }
        try store(
            .number(sum), unit: entry.unit.map(SenMLUnit.sum(of:)), in: field, at: entry.time,
            context)
    }

    private mutating func store(
        _ value: SenMLValue, unit: String?, in field: Int, at time: Int64,
        _ context: borrowing RowBuilder
    ) throws(RowError) {
        let kind = context.kinds[field]
        let row = try cells.row(at: time, record: record, context.columns)
        switch value {
        case .boolean: throw RowError(.boolean, field: field)
        case .data: throw RowError(.dataValue, field: field)
        case .text(let text):
            guard !kind.isNumeric else { throw RowError(.notNumber, field: field) }
            guard unit == nil || context.columns.fields[field].unit == nil else {
                throw RowError(.unit, field: field)
            }
            guard text.count <= SampleParser.longestText else {
                throw RowError(.longText, field: field)
            }
            try Self.check(text, field, context)
            try cells.set(text: text, field, row)
        case .number, .integer:
            guard kind.isNumeric else { throw RowError(.notText, field: field) }
            let own = context.columns.fields[field].unit
            guard let conversion = SenMLUnit.conversion(from: unit, toUCUM: own) else {
                rejectedUnit = unit
                throw RowError(.unit, field: field)
            }
            if case .integer(let integer) = value, conversion.isIdentity, kind == .integer {
                try cells.set(bits: UInt64(bitPattern: integer), field, row)
                return
            }
            let number = conversion.read(value.double)
            guard number.isFinite else { throw RowError(.range, field: field) }
            if kind == .number {
                try cells.set(bits: number.bitPattern, field, row)
            } else if number.magnitude < 0x1p53, let integer = Int64(exactly: number) {
                try cells.set(bits: UInt64(bitPattern: integer), field, row)
            } else {
                throw RowError(.notInteger, field: field)
            }
        }
    }

    private static func check(
        _ text: [UInt8], _ field: Int, _ context: borrowing RowBuilder
    ) throws(RowError) {
        var fault: RowError?
        text.withUnsafeBufferPointer { bytes in
            do throws(RowError) {
                try context.check(bytes, field)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
    }

    private mutating func target(
        of key: TargetKey, _ context: inout RowBuilder
    ) throws(RowError) -> Target {
        if let known = targets[key] { return known }
        let name = key.name
        guard Self.isName(name) else { throw RowError(.senmlName) }
        let last = name.lastIndex { $0 == "/" || $0 == ":" }
        let part = last.map { name[name.index(after: $0)...] } ?? name[...]
        let fields = context.columns.fields
        let target: Target
        if let field = fields.firstIndex(where: { $0.name == part }) {
            let sum = fields.firstIndex { $0.name == part + "Sum" }
            target = Target(device: last.map { name[..<$0] } ?? "", field: field, sum: sum)
        } else if let field = Self.onlyField(fields, with: key.unit) {
            target = Target(device: name[...], field: field, sum: nil)
        } else {
            context.unknownName = Array(part.utf8)
            throw RowError(.unknown)
        }
        // Names may come from outside without end.
        if targets.count < 256 { targets[key] = target }
        return target
    }

    /// The only field, or the only one with a unit.
    private static func onlyField(_ fields: [Field], with unit: String?) -> Int? {
        guard fields.count > 1 else { return 0 }
        guard let unit else { return nil }
        var found = fields.indices.filter {
            SenMLUnit.written(ucum: fields[$0].unit, field: fields[$0].name)?.unit == unit
        }
        if found.isEmpty {
            found = fields.indices.filter {
                let unit = SenMLUnit.conversion(from: unit, toUCUM: fields[$0].unit)
                return unit?.isIdentity == true
            }
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Whether a name has only the characters that SenML allows.
    ///
    /// Source: RFC 8428, section 4.5.1.
    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first.isASCIILetterOrDigit else { return false }
        return name.utf8.allSatisfy { byte in
            byte.isASCIILetterOrDigit || Array("-:./_".utf8).contains(byte)
        }
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool {
        self &- 0x30 <= 9 || (self | 0x20) &- 0x61 < 26
    }
}

/// The values of a pack, by time and field, until all records are read.
private struct SenMLCells {
    /// Microseconds since 1970, in the order of their first records.
    private var times: [Int64] = []
    /// The first record of each row.
    private var records: [Int] = []
    private var rows: [Int64: Int] = [:]
    private var words: [[UInt64]] = []
    private var texts: [[String]] = []
    private var isSet: [[Bool]] = []

    /// The row of a time.
    mutating func row(
        at time: Int64, record: Int, _ columns: borrowing ColumnBuilder
    ) throws(RowError) -> Int {
        if let last = times.last, last == time { return times.count - 1 }
        if let known = rows[time] { return known }
        guard times.count < columns.limit else { throw RowError(.tooMany) }
        if isSet.isEmpty {
            words = columns.fields.map { _ in [] }
            texts = columns.fields.map { _ in [] }
            isSet = columns.fields.map { _ in [] }
        }
        for (field, description) in columns.fields.enumerated() {
            isSet[field].append(false)
            if description.kind.isNumeric {
                words[field].append(0)
            } else {
                texts[field].append("")
            }
        }
        rows[time] = times.count
        times.append(time)
        records.append(record)
        return times.count - 1
    }

    mutating func set(bits: UInt64, _ field: Int, _ row: Int) throws(RowError) {
        guard !isSet[field][row] else { throw RowError(.twice, field: field) }
        isSet[field][row] = true
        words[field][row] = bits
    }

    mutating func set(text: [UInt8], _ field: Int, _ row: Int) throws(RowError) {
        guard !isSet[field][row] else { throw RowError(.twice, field: field) }
        isSet[field][row] = true
        texts[field][row] = String(decoding: text, as: UTF8.self)
    }

    /// The first record of a time of which a field has no record, and that field.
    var gap: (record: Int, field: Int)? {
        for row in times.indices {
            if let field = isSet.firstIndex(where: { !$0[row] }) { return (records[row], field) }
        }
        return nil
    }

    /// Moves all rows to the columns.
    func move(to context: inout RowBuilder) throws(RowError) {
        let kinds = context.kinds
        for row in times.indices {
            try context.columns.open()
            context.columns.set(time: times[row])
            for (field, kind) in kinds.enumerated() {
                switch kind {
                case .number:
                    context.columns.set(number: Double(bitPattern: words[field][row]), field)
                case .integer:
                    context.columns.set(integer: Int64(bitPattern: words[field][row]), field)
                case .state, .text:
                    var text = texts[field][row]
                    text.withUTF8 { context.columns.set(text: $0, field) }
                }
            }
            context.columns.close()
        }
    }
}
