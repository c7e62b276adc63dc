import API
import Foundation
import Health
import Samples
import Sessions
import Text

extension HealthTypeDescription {
    init(_ type: HealthType) {
        self.init(
            id: type.description, kind: type.kind.rawValue, title: type.title,
            unit: type.unit?.description,
            units: type.units.isEmpty ? nil : type.units.map(\.description),
            values: type.values.isEmpty ? nil : type.values, total: type.isTotal ? true : nil)
    }
}

extension JSONScalar {
    init(_ value: HealthSampleDraft.Value) {
        switch value {
        case .number(let number): self = .number(number)
        case .text(let text): self = .text(text)
        }
    }
}

extension HealthView {
    /// The name of who saved an object: the owner sees all, a client its own.
    fileprivate func shownSource(of object: HealthObject) -> String? {
        source == nil || isOwn(object) ? object.source?.name : nil
    }

    /// What its source gave an object to find it again.
    fileprivate func shownKey(of object: HealthObject) -> String? {
        isOwn(object) ? object.key : nil
    }
}

extension [String: JSONScalar] {
    fileprivate var described: Self? { isEmpty ? nil : self }
}

extension HealthSampleDescription {
    /// - Parameter unit: the unit of a number; `nil` for the stored one.
    init(_ object: HealthObject, in unit: HealthUnit? = nil, for view: HealthView) {
        let stored = object.type.unit
        let shown = unit ?? stored
        let value: JSONScalar =
            switch object.content {
            case .number(let number):
                .number(shown.flatMap { stored?.convert(number, to: $0) } ?? number)
            case .text(let text): .text(text)
            case .workout, .correlation: .text("")
            }
        let parent = object.parent
        self.init(
            id: object.id, type: object.type.description, start: object.start.milliseconds,
            end: object.end.milliseconds, value: value, unit: shown?.description,
            own: view.isOwn(object), app: view.shownSource(of: object),
            workout: parent?.type == .workout ? parent?.id : nil,
            correlation: parent?.type.kind == .correlation ? parent?.id : nil,
            key: view.shownKey(of: object), metadata: object.metadata.described)
    }
}

extension HealthWorkoutDescription {
    /// - Returns: `nil` for a correlation.
    init?(
        _ group: HealthGroup, _ rows: WorkoutRows, for view: HealthView, withSamples: Bool = false
    ) {
        let object = group.object
        guard case .workout(let activity, let active) = object.content else { return nil }
        self.init(
            id: object.id, activity: activity.rawValue, start: object.start.milliseconds,
            end: object.end.milliseconds, duration: active / .milliseconds(1),
            own: view.isOwn(object), app: view.shownSource(of: object),
            totals: Dictionary(
                uniqueKeysWithValues: group.totals.map { ($0.key.description, $0.value) }),
            distance: group.distance, floors: group.floors,
            text: rows.text(of: group, activity, active), key: view.shownKey(of: object),
            metadata: object.metadata.described,
            samples: withSamples
                ? group.samples.map { HealthSampleDescription($0, for: view) } : nil)
    }
}

extension HealthCorrelationDescription {
    init(_ group: HealthGroup, for view: HealthView) {
        let object = group.object
        self.init(
            id: object.id, type: object.type.description, start: object.start.milliseconds,
            end: object.end.milliseconds, own: view.isOwn(object),
            app: view.shownSource(of: object), key: view.shownKey(of: object),
            metadata: object.metadata.described,
            samples: group.samples.map { HealthSampleDescription($0, for: view) })
    }
}

extension HealthCountDescription {
    init(_ count: HealthCount) {
        self.init(
            type: count.type.description, app: count.app, count: count.count,
            oldest: count.oldest.milliseconds, newest: count.newest.milliseconds)
    }
}

/// The lines that a list shows of each workout, in a time zone.
struct WorkoutRows {
    private let calendar: Calendar

    /// - Parameter zone: an IANA name; `nil` for the host's.
    /// - Throws: `Problem` for an unknown zone.
    init(zone name: String?) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        if let name {
            guard let zone = TimeZone(identifier: name) else {
                throw Problem.invalidParameter(
                    "zone", "must be the name of a time zone, such as Europe/Zurich")
            }
            calendar.timeZone = zone
        }
        self.calendar = calendar
    }

    func text(
        of group: HealthGroup, _ activity: WorkoutActivity, _ active: Duration
    ) -> HealthWorkoutDescription.Text {
        let seconds = Double(group.object.start.microseconds) / 1_000_000
        let date = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute], from: Date(timeIntervalSince1970: seconds))
        func digits(_ number: Int?, _ count: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let day = [digits(date.year, 4), digits(date.month, 2), digits(date.day, 2)]
        let time = [digits(date.hour, 2), digits(date.minute, 2)]
        let start = day.joined(separator: "-") + " " + time.joined(separator: ":")
        let metres = DecimalText(group.distance ?? 0, digits: 0)
        let floors = DecimalText(group.floors ?? 0, digits: 0)
        return HealthWorkoutDescription.Text(
            title: "\(start) | \(activity.rawValue) | \(ElapsedText(active))",
            detail: "\(metres) m | \(floors) floors")
    }
}
