public import Samples

extension Reading {
    /// The reading as a sample of a sensor: the values that it has fields for, in their order.
    ///
    /// Other values are left out. A whole number suits a field of either kind of number, another one only
    /// a `number`; a text has at most 64 KiB. The time has to be from 1970 to a day after `arrival`.
    ///
    /// - Parameter arrival: when it came, which is its time where it has none.
    /// - Throws: `incomplete`, `value` or `time`.
    public func sample(of fields: [Field], arrival: Timestamp) throws(DropReason) -> Sample {
        let moment = time ?? arrival
        guard moment.microseconds >= 0,
            moment <= arrival.advanced(byMicroseconds: PushLimits.ahead)
        else { throw .time }
        var row: [Value] = []
        for field in fields {
            guard let value = values[field.name] else { throw .incomplete }
            guard let fitted = value.fitted(to: field.kind) else { throw .value }
            row.append(fitted)
        }
        return Sample(time: moment, values: row)
    }
}

extension Value {
    /// The same value as a field of a kind holds it; `nil` where it cannot.
    fileprivate func fitted(to kind: Field.Kind) -> Value? {
        switch (self, kind) {
        case (.integer(let integer), .number): return .number(Double(integer))
        case (.number(let number), .integer): return Int64(exactly: number).map(Value.integer)
        case (.text(let text), _) where text.utf8.count > PushLimits.text: return nil
        default: return fits(kind) ? self : nil
        }
    }
}
