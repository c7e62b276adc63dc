import API
import Egress
import Motion
import Samples
import Sessions

extension SessionDescription {
    /// - Parameter caller: the caller who gets the description.
    init(_ record: SessionRecord, now: Timestamp, for caller: SessionCaller = .owner) {
        let session = record.session
        let microseconds = session.spans(until: now).reduce(0.0) { sum, span in
            sum + (Double(span.to.microseconds) - Double(span.from.microseconds))
        }
        self.init(
            id: session.id, name: session.name, description: session.description,
            sensors: session.sensors.map(\.description), state: session.state.rawValue,
            finished: session.isFinished, created: session.created.milliseconds,
            spans: session.spans.map {
                Span(from: $0.from.milliseconds, to: $0.to.milliseconds)
            } + (session.activeSince.map { [Span(from: $0.milliseconds)] } ?? []),
            elapsed: microseconds / 1000, distance: record.enteredDistance,
            imported: record.isImported ? true : nil,
            app: caller.creatorName(of: record))
    }
}

/// A caller of the session routes, and the sessions that it may use.
struct SessionCaller: Hashable {
    /// The owner, who uses all.
    static let owner = SessionCaller(scope: .all, creator: nil)

    /// The sessions that it may use.
    let scope: SessionScope
    /// The creator that the caller's own sessions are marked with; `nil` for the owner.
    let creator: SessionCreator?

    /// The creator's name, which an app or program sees for its own sessions only.
    fileprivate func creatorName(of record: SessionRecord) -> String? {
        creator == nil || creator?.number == record.creator?.number ? record.creator?.name : nil
    }
}

extension LiveDescription {
    init(_ reading: LiveReading, of record: SessionRecord, at now: Timestamp) {
        let session = SessionDescription(record, now: now)
        self.init(
            t: now.milliseconds, state: session.state, finished: session.finished,
            elapsed: session.elapsed, text: reading.text, distance: reading.distance,
            steps: reading.steps, floors: reading.floors, pace: reading.pace,
            activity: reading.activity?.activity.rawValue,
            confidence: reading.activity?.confidence.rawValue)
    }
}

extension SendReply {
    init(_ outcome: Outbox.Outcome, damaged: String? = nil) {
        switch outcome {
        case .delivered(let status):
            self.init(delivered: true, status: status, damaged: damaged)
        case .kept(let delivery):
            self.init(delivered: false, kept: UploadDescription(delivery), damaged: damaged)
        }
    }
}

extension UploadDescription {
    init(_ delivery: QueuedUpload) {
        self.init(
            id: delivery.id, address: delivery.address, title: delivery.title,
            mediaType: delivery.mediaType, size: delivery.size,
            created: delivery.created.milliseconds, state: delivery.state.rawValue,
            attempts: delivery.attempts, problem: delivery.problem,
            next: delivery.next?.milliseconds)
    }
}
