import Ingest
import Samples

/// Reads the payload format and the fields of a pack.
enum PackPayload {
    private enum Word: String, CaseIterable {
        case json, csv, keyValue = "key-value", pattern, plain, bytes, named
        case frame, nmea, dsmr
    }

    /// - Parameters:
    ///   - payload: the object `payload`, if any.
    ///   - fields: the objects in `fields`.
    ///   - standard: the default format of the kind of source, if any.
    ///   - known: the names of the values, if the source names them itself.
    static func maker(
        _ payload: PackObject?, _ fields: [PackObject], standard: String?,
        names known: [String]? = nil
    ) throws(PackError) -> SampleMaker {
        var payload = payload
        var names: [String] = []
        var rules: [FieldRule] = []
        for var field in fields {
            let (name, rule) = try self.rule(&field)
            names.append(name)
            rules.append(rule)
            try field.finish()
        }
        var word = try payload?.choice("format", of: Word.self) ?? standard.flatMap(Word.init)
        if let known {
            guard word == nil || word == .named else {
                throw PackError(
                    "sensor.payload.format cannot be combined with a source that defines the names of its values."
                )
            }
            if let other = names.first(where: { !known.contains($0) }) {
                throw PackError(
                    "sensor.fields: \(other) is not one of the values \(known.joined(separator: ", "))."
                )
            }
            word = .named
        }
        guard let word else {
            throw PackError(
                "sensor.payload needs a format: json, csv, key-value, pattern, plain, frame, nmea or dsmr."
            )
        }
        let format = try format(word, &payload)
        let time = try time(&payload)
        let isSparse = try payload?.flag("sparse") ?? false
        let takesOnlyChanges = try payload?.flag("onlyChanges") ?? false
        try payload?.finish()
        do {
            return try SampleMaker(
                format: format, names: names, rules: rules, time: time, isSparse: isSparse,
                takesOnlyChanges: takesOnlyChanges)
        } catch {
            throw PackError("sensor.fields: \(error.message).")
        }
    }

    private static func format(
        _ word: Word, _ payload: inout PackObject?
    ) throws(PackError) -> PayloadFormat {
        switch word {
        case .json: return .json
        case .csv:
            let text = try payload?.text("separator") ?? ","
            guard let separator = text.first, text.count == 1 else {
                throw PackError("sensor.payload.separator is not one character.")
            }
            return .csv(separator: separator)
        case .keyValue: return .keyValue
        case .pattern:
            guard let pattern = try payload?.text("pattern", atMost: 1024) else {
                throw PackError("sensor.payload has no pattern.")
            }
            return .pattern(pattern)
        case .plain: return .plain
        case .bytes: return .bytes
        case .named: return .named
        case .frame: return .frame(try layout(&payload))
        case .nmea: return .nmea
        case .dsmr: return .dsmr
        }
    }

    /// `start`, `length`, `checksum` and `end` of binary messages.
    private static func layout(_ payload: inout PackObject?) throws(PackError) -> FrameLayout {
        guard var given = payload else { throw PackError("sensor.payload has no start.") }
        defer { payload = given }
        guard let start = try bytes("start", of: &given) else { throw given.missing("start") }
        let end = try bytes("end", of: &given) ?? []
        var checksum: FrameLayout.Checksum?
        if var object = try given.object("checksum") {
            guard let kind = try object.choice("kind", of: FrameLayout.Checksum.Kind.self) else {
                throw object.missing("kind")
            }
            let from = try object.integer("from", in: 0...FrameLayout.longest - 1) ?? 0
            try object.finish()
            checksum = FrameLayout.Checksum(kind, from: from)
        }
        let length: FrameLayout.Length
        if let from = try given.text("lengthFrom") {
            guard let field = FrameField(from) else {
                throw given.wrong("lengthFrom", "is not a number of a frame such as u16be@2")
            }
            length = .field(field, plus: try given.integer("lengthPlus", in: -1024...1024) ?? 0)
        } else {
            guard let count = try given.integer("length", in: 1...FrameLayout.longest) else {
                throw given.missing("length")
            }
            length = .fixed(count)
        }
        do {
            return try FrameLayout(start: start, length: length, end: end, checksum: checksum)
        } catch {
            throw PackError("sensor.payload: \(error.message).")
        }
    }

    /// Bytes as hexadecimal digits: `42 4D`.
    private static func bytes(
        _ key: String, of object: inout PackObject
    ) throws(PackError) -> [UInt8]? {
        guard let text = try object.text(key) else { return nil }
        let parts = text.split(separator: " ")
        let bytes = parts.compactMap { $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil }
        guard bytes.count == parts.count, (1...8).contains(bytes.count) else {
            throw object.wrong(key, "is not 1 to 8 bytes in hexadecimal, such as 42 4D")
        }
        return bytes
    }

    private static func time(_ payload: inout PackObject?) throws(PackError) -> TimeRule? {
        guard var time = try payload?.object("time") else { return nil }
        let name = try time.requiredText("from")
        guard let form = try time.choice("form", of: TimeRule.Form.self) else {
            throw time.missing("form")
        }
        try time.finish()
        return TimeRule(name, form: form)
    }

    private static func rule(
        _ field: inout PackObject
    ) throws(PackError) -> (name: String, FieldRule) {
        let name = try field.requiredText("name")
        let unit = try field.text("unit")
        let kind = try field.text("kind") ?? "number"
        guard let kind = Field.Kind(rawValue: kind) else {
            throw field.wrong("kind", "is not one of number, integer, state, text")
        }
        let from = try field.text("from") ?? name
        let scale = try field.number("scale", in: -1e12...1e12) ?? 1
        let offset = try field.number("offset", in: -1e12...1e12) ?? 0
        let limits = try limits(&field)
        let states = try field.table("states") ?? [:]
        let margin = try field.number("margin", in: 0...1e15) ?? 0
        let suffix = try field.text("suffix")
        guard
            scale == 1 && offset == 0 && limits == nil && margin == 0 && suffix == nil
                || kind.isNumeric
        else {
            throw field.wrong(
                "kind",
                "allows no scale, offset, min, max, margin or suffix: only number and integer fields have them"
            )
        }
        guard states.isEmpty || kind == .state else {
            throw field.wrong("states", "requires a field of kind state")
        }
        let unknown = try unknown(&field, kind)
        return (
            from,
            FieldRule(
                Field(name, unit: unit, kind: kind), scale: scale, offset: offset, limits: limits,
                states: states, unknown: unknown, margin: margin, suffix: suffix)
        )
    }

    /// The substitute for an unknown value.
    private static func unknown(
        _ field: inout PackObject, _ kind: Field.Kind
    ) throws(PackError) -> Value? {
        switch kind {
        case .number: try field.number("unknown", in: -1e15...1e15).map { .number($0) }
        case .integer:
            try field.integer("unknown", in: -(1 << 53)...(1 << 53)).map { .integer(Int64($0)) }
        case .state, .text: try field.text("unknown").map { .text($0) }
        }
    }

    private static func limits(
        _ field: inout PackObject
    ) throws(PackError) -> ClosedRange<Double>? {
        let minimum = try field.number("min", in: -1e15...1e15)
        let maximum = try field.number("max", in: -1e15...1e15)
        guard minimum != nil || maximum != nil else { return nil }
        let (lower, upper) = (minimum ?? -.infinity, maximum ?? .infinity)
        guard lower <= upper else { throw field.wrong("max", "is less than min") }
        return lower...upper
    }
}
