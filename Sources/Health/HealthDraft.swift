import Crypto
import Foundation
public import Samples
public import Text

/// A sample to save, as its source gives it.
public struct HealthSampleDraft: Hashable, Sendable {
    /// The value of a sample.
    public enum Value: Hashable, Sendable {
        case number(Double)
        case text(String)
    }

    /// Its type.
    public let type: HealthType
    /// A number for a quantity, a text for a category.
    public let value: Value
    /// The unit of the number; `nil` for the type's.
    public let unit: String?
    /// When it began; `nil` for now, or for the start of what it belongs to.
    public let start: Timestamp?
    /// When it ended; `nil` for its start, or for the end of its workout if it is a total or a category.
    public let end: Timestamp?
    /// Unique among the objects of the source; saving the same again has no effect.
    public let key: String?
    /// Further properties.
    public let metadata: [String: JSONScalar]

    public init(
        _ type: HealthType, _ value: Value, unit: String? = nil, start: Timestamp? = nil,
        end: Timestamp? = nil, key: String? = nil, metadata: [String: JSONScalar] = [:]
    ) {
        self.type = type
        self.value = value
        self.unit = unit
        self.start = start
        self.end = end
        self.key = key
        self.metadata = metadata
    }

    fileprivate var parts: [String?] {
        let value =
            switch value {
            case .number(let number): "\(number)"
            case .text(let text): text
            }
        return [
            type.description, value, unit, start.map { "\($0.microseconds)" },
            end.map { "\($0.microseconds)" },
        ] + metadata.parts
    }

    /// What distinguishes it from other content with the same key.
    var digest: Data { Self.digest(of: parts) }

    fileprivate static func digest(of parts: [String?]) -> Data {
        // Quoted, so that the boundaries of the parts count.
        let text = parts.map { $0?.debugDescription ?? "-" }.joined(separator: ",")
        return Data(SHA256.hash(data: Data(text.utf8)))
    }
}

/// A workout or correlation to save, with its samples.
public struct HealthGroupDraft: Hashable, Sendable {
    /// What it is.
    public enum Subject: Hashable, Sendable {
        /// The active time is `nil` for the whole interval.
        case workout(WorkoutActivity, start: Timestamp, end: Timestamp, active: Duration?)
        /// A type with ``HealthType/parts``; the start is `nil` for now.
        case correlation(HealthType, start: Timestamp?)
    }

    /// The maximum number of samples.
    public static let sampleLimit = 5000

    /// What it is.
    public let subject: Subject
    /// Its samples, without keys of their own.
    public let samples: [HealthSampleDraft]
    /// Unique among the objects of the source; saving the same again has no effect.
    public let key: String?
    /// Further properties.
    public let metadata: [String: JSONScalar]

    public init(
        _ subject: Subject, samples: [HealthSampleDraft], key: String? = nil,
        metadata: [String: JSONScalar] = [:]
    ) {
        self.subject = subject
        self.samples = samples
        self.key = key
        self.metadata = metadata
    }

    /// Its type.
    public var type: HealthType {
        switch subject {
        case .workout: .workout
        case .correlation(let type, _): type
        }
    }

    var digest: Data {
        let own: [String?] =
            switch subject {
            case .workout(let activity, let start, let end, let active):
                [
                    activity.rawValue, "\(start.microseconds)", "\(end.microseconds)",
                    active.map { "\($0)" },
                ]
            case .correlation(let type, let start):
                [type.description, start.map { "\($0.microseconds)" }]
            }
        return HealthSampleDraft.digest(of: own + metadata.parts + samples.flatMap(\.parts))
    }
}

extension [String: JSONScalar] {
    fileprivate var parts: [String?] {
        ["\(count)"] + sorted { $0.key < $1.key }.flatMap { [$0.key, "\($0.value)"] }
    }
}

/// Turns drafts into objects, or says what is wrong with them.
struct HealthDraftCheck {
    /// The maximum number of entries of metadata, and of characters in keys and texts.
    private static let metadataLimit = 16
    private static let keyLimit = 64
    private static let textLimit = 256
    /// How far in the future an object may end, since clocks differ: a day.
    private static let tolerance: Int64 = 86_400_000_000
    /// The first moment of 1900.
    private static let earliest = Timestamp(microseconds: -2_208_988_800_000_000)

    let now: Timestamp

    /// The interval of what a sample belongs to.
    struct Frame {
        let start: Timestamp
        let end: Timestamp
        let isWorkout: Bool
    }

    /// An object without identity: what is stored of a draft.
    struct Checked {
        let type: HealthType
        let start: Timestamp
        let end: Timestamp
        let content: HealthObject.Content
        let key: String?
        let metadata: [String: JSONScalar]
        let digest: Data?
    }

    func check(
        _ draft: HealthSampleDraft, in frame: Frame? = nil
    ) throws(HealthError) -> Checked {
        guard draft.type.isSample else {
            throw HealthError(.invalid, "\(draft.type) is not a type of samples.")
        }
        let start = draft.start ?? frame?.start ?? now
        let lasts = draft.type.isTotal || draft.type.kind == .category
        let whole = frame.flatMap { lasts && $0.isWorkout ? $0.end : nil }
        let end = draft.end ?? whole ?? start
        try check(start, end, of: draft.type)
        if let frame {
            guard start >= frame.start, end <= frame.end else {
                throw HealthError(
                    .invalid, "A sample of \(draft.type) lies outside of what it belongs to.")
            }
            guard draft.key == nil else {
                throw HealthError(
                    .invalid, "A sample of a workout or correlation has no key of its own.")
            }
        }
        try check(key: draft.key)
        try check(draft.metadata)
        return Checked(
            type: draft.type, start: start, end: end, content: try content(of: draft),
            key: draft.key, metadata: draft.metadata, digest: draft.key.map { _ in draft.digest })
    }

    func check(
        _ draft: HealthGroupDraft
    ) throws(HealthError) -> (group: Checked, samples: [Checked]) {
        guard draft.samples.count <= HealthGroupDraft.sampleLimit else {
            throw HealthError(
                .invalid, "At most \(HealthGroupDraft.sampleLimit) samples are saved together.")
        }
        try check(key: draft.key)
        try check(draft.metadata)
        let frame: Frame
        let content: HealthObject.Content
        switch draft.subject {
        case .workout(let activity, let start, let end, let active):
            try check(start, end, of: .workout)
            let length = start.duration(to: end)
            let active = active ?? length
            // Times in milliseconds may be rounded, each by half of one.
            guard active >= .zero, active <= length + .milliseconds(1) else {
                throw HealthError(
                    .invalid, "The duration of a workout is between zero and its whole length.")
            }
            frame = Frame(start: start, end: end, isWorkout: true)
            content = .workout(activity, active: active)
        case .correlation(let type, let start):
            let start = start ?? now
            frame = Frame(start: start, end: start, isWorkout: false)
            content = .correlation
            try check(start, start, of: type)
            let found = draft.samples.map(\.type.description).sorted()
            guard !type.parts.isEmpty, found == type.parts.map(\.description).sorted() else {
                let names = type.parts.map(\.description).joined(separator: " and one of ")
                throw HealthError(
                    .invalid,
                    names.isEmpty
                        ? "\(type) is not a correlation."
                        : "\(type) has exactly one sample of \(names).")
            }
        }
        var samples: [Checked] = []
        for sample in draft.samples { samples.append(try check(sample, in: frame)) }
        let group = Checked(
            type: draft.type, start: frame.start, end: frame.end, content: content,
            key: draft.key, metadata: draft.metadata, digest: draft.key.map { _ in draft.digest })
        return (group, samples)
    }

    /// The value of a characteristic.
    static func value(
        _ value: HealthSampleDraft.Value, unit: String?, of type: HealthType
    ) throws(HealthError) -> HealthObject.Content {
        guard type.kind == .characteristic else {
            throw HealthError(.invalid, "\(type) is not a characteristic.")
        }
        guard type == .dateOfBirth else { return try content(value, unit: unit, of: type) }
        guard case .text(let text) = value, let date = Self.date(text), date == text else {
            throw HealthError(.invalid, "date-of-birth is a date such as 1984-02-29.")
        }
        return .text(date)
    }

    // MARK: - Private

    private func content(
        of draft: HealthSampleDraft
    ) throws(HealthError) -> HealthObject.Content {
        try Self.content(draft.value, unit: draft.unit, of: draft.type)
    }

    private static func content(
        _ value: HealthSampleDraft.Value, unit code: String?, of type: HealthType
    ) throws(HealthError) -> HealthObject.Content {
        switch value {
        case .text(let text):
            guard type.values.contains(text) else {
                throw HealthError(
                    .invalid,
                    type.values.isEmpty
                        ? "The value of \(type) must be a number."
                        : "The value of \(type) must be one of: "
                            + type.values.joined(separator: ", ") + ".")
            }
            guard code == nil else {
                throw HealthError(.unitMismatch, "\(type) has no unit.")
            }
            return .text(text)
        case .number(let number):
            guard let stored = type.unit else {
                throw HealthError(
                    .invalid,
                    "The value of \(type) must be one of: \(type.values.joined(separator: ", ")).")
            }
            let given = try type.unit(named: code)
            guard number.isFinite, let converted = given.convert(number, to: stored),
                type.range.contains(converted)
            else {
                throw HealthError(.invalid, "The value of \(type) is out of range.")
            }
            return .number(converted)
        }
    }

    private func check(
        _ start: Timestamp, _ end: Timestamp, of type: HealthType
    ) throws(HealthError) {
        guard start <= end else {
            throw HealthError(.invalid, "An object of \(type) ends before it starts.")
        }
        guard start >= Self.earliest, end <= now.advanced(byMicroseconds: Self.tolerance) else {
            throw HealthError(
                .invalid, "The times of an object of \(type) are not between 1900 and tomorrow.",
                hint: "Times are milliseconds since 1970.")
        }
    }

    private func check(key: String?) throws(HealthError) {
        guard let key else { return }
        guard (1...Self.keyLimit).contains(key.count),
            !key.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw HealthError(
                .invalid, "A key has 1 to \(Self.keyLimit) characters, no control characters.")
        }
    }

    private func check(_ metadata: [String: JSONScalar]) throws(HealthError) {
        let isValid =
            metadata.count <= Self.metadataLimit
            && metadata.allSatisfy { name, value in
                guard (1...Self.keyLimit).contains(name.count) else { return false }
                return switch value {
                case .text(let text): text.count <= Self.textLimit
                case .number(let number): number.isFinite
                case .flag: true
                }
            }
        guard isValid else {
            throw HealthError(
                .invalid,
                "Metadata has at most \(Self.metadataLimit) entries, with names of at most"
                    + " \(Self.keyLimit) and texts of at most \(Self.textLimit) characters.")
        }
    }

    /// A date in its only form; `nil` for no date of the calendar.
    private static func date(_ text: String) -> String? {
        guard let time = Timestamp(rfc3339: text + "T00:00:00Z"), time >= earliest else {
            return nil
        }
        return String("\(time)".prefix(10))
    }
}

extension HealthType {
    /// The unit of a code; the stored one for `nil`.
    ///
    /// - Throws: `unitMismatch` for a unit that is not one of the type's.
    public func unit(named code: String?) throws(HealthError) -> HealthUnit {
        guard let stored = unit else {
            throw HealthError(.unitMismatch, "\(self) has no unit.")
        }
        guard let code else { return stored }
        guard let unit = units.first(where: { $0.description == code }) else {
            let names = units.map(\.description).joined(separator: ", ")
            throw HealthError(
                .unitMismatch, "\(code.prefix(40).debugDescription) is not a unit of \(self).",
                hint: "Its units are: \(names)")
        }
        return unit
    }
}
