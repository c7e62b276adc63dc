import LAE
import Motion
import Samples
import Sessions
import Tracks

/// What has been read of a session, and where to go on.
struct LiveSession {
    /// The sensors that tell something of it.
    enum Kind: String, CaseIterable {
        case location, steps, altitude, activity

        var id: SensorID { SensorID(rawValue) ?? "location" }
    }

    /// The steps it had had; with others all is read anew.
    let record: SessionRecord
    let sensors: [Kind: SensorID]
    /// The spans that are not read to their end; the last is open while the session is active.
    var spans: [TimeRange]
    /// What of the first of them was read last, by sensor.
    var places: [Kind: SampleQuery.Position] = [:]
    private var totals = LiveTotals()
    private var route: SessionRoute

    init(_ record: SessionRecord, sensors: [Kind: SensorID]) {
        (self.record, self.sensors) = (record, sensors)
        route = SessionRoute(record)
        spans = record.session.spans(until: .distantFuture)
    }

    /// Whether the first span ends with what was read.
    var isSpanOver: Bool { spans.count > 1 || record.session.state != .active }

    mutating func begin() {
        totals.begin()
        places = [:]
    }

    /// - Throws: `SessionsError`.
    mutating func take(_ page: BatchPage, of kind: Kind) throws {
        for place in 0..<page.stored.count {
            let sample = page.stored[place].sample
            try take(sample, page.fields, of: kind)
            places[kind] = SampleQuery.Position(of: page.stored[place])
        }
    }

    func reading(at now: Timestamp) -> LiveReading {
        var reading = totals.reading(at: now, isActive: record.session.state == .active)
        if let entered = record.enteredDistance { reading.distance = entered }
        return reading
    }

    private mutating func take(_ sample: Sample, _ fields: [Field], of kind: Kind) throws {
        func value(_ name: String) -> Value? {
            fields.firstIndex { $0.name == name }.map { sample.values[$0] }
        }
        switch kind {
        case .location:
            guard let fix = Fix(sample, fields: fields) else { return }
            try route.take(fix)
            if let metres = route.distance { totals.take(distance: metres, at: fix.time) }
        case .steps:
            if let steps = value("steps")?.double { totals.take(steps: steps, at: sample.time) }
        case .altitude:
            if let metres = value("altitude")?.double { totals.take(altitude: metres) }
        case .activity:
            guard case .text(let name)? = value("activity"), let activity = Activity(rawValue: name)
            else { return }
            guard case .text(let text)? = value("confidence"),
                let confidence = ActivityReading.Confidence(rawValue: text)
            else { return }
            totals.take(ActivityReading(activity, confidence), at: sample.time)
        }
    }
}
