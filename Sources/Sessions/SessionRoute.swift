public import Samples
public import Tracks

/// The route of a session, made of the fixes that were stored while it was active.
///
/// A value that is given the fixes of its ``spans`` in the order of time. Their times are the clock of
/// the route, and so are those of the session's steps.
public struct SessionRoute: Sendable {
    /// When fixes belong to it; none where its length was entered by hand.
    public let spans: [TimeRange]

    private let start: Timestamp
    private let entered: Double?
    private var route: Route
    /// The steps that come after what was taken.
    private var events: ArraySlice<SessionRecord.Event>

    public init(_ record: SessionRecord, rules: RouteRules = RouteRules()) {
        // Of an active session everything from its start on: a sensor's clock may be ahead.
        spans =
            record.enteredDistance == nil ? record.session.spans(until: .distantFuture) : []
        start = record.events.first?.time ?? record.session.created
        events = record.events[...]
        route = Route(rules: rules)
        entered = record.enteredDistance
    }

    /// Metres up to the last fix that was taken; `nil` before a place is known.
    public var distance: Double? {
        entered ?? (route.segments.contains { !$0.isEmpty } ? route.distance : nil)
    }

    /// Takes the next fix.
    ///
    /// - Throws: `wrongState` where the steps of the session do not follow each other.
    public mutating func take(_ fix: Fix) throws(SessionsError) {
        try apply { $0.time <= fix.time }
        route.take(fix, at: clock(fix.time))
    }

    /// What is told of the route once there are no more fixes.
    ///
    /// - Throws: `wrongState` where the steps of the session do not follow each other.
    public consuming func record() throws(SessionsError) -> RouteRecord {
        let route = try finished()
        do {
            return try route.record
        } catch {
            throw SessionsError(error)
        }
    }

    /// Whether a paused session may go on from a place, once there are no more fixes.
    ///
    /// Nothing is asked of a session whose length was entered by hand.
    /// - Throws: `tooFar` more than 200 m from the last point, `inaccurate` when the place is not known
    ///   to 100 m, `wrongState` unless it is paused.
    public consuming func checkResumption(from fix: Fix) throws(SessionsError) {
        guard entered == nil else { return }
        var route = try finished()
        do {
            // The clock does not matter to what is judged, and never goes back.
            try route.resume(at: .zero, from: fix)
        } catch {
            throw SessionsError(error)
        }
    }

    // MARK: - Private

    /// The route once there are no more fixes, in the state of the session.
    private consuming func finished() throws(SessionsError) -> Route {
        try apply { _ in true }
        if let entered {
            do {
                try route.enter(distance: entered)
            } catch {
                throw SessionsError(error)
            }
        }
        return route
    }

    private mutating func apply(
        while isDue: (SessionRecord.Event) -> Bool
    ) throws(SessionsError) {
        while let event = events.first, isDue(event) {
            events.removeFirst()
            let now = clock(event.time)
            do {
                switch event.step {
                case .start: try route.start(at: now)
                case .pause: try route.pause(at: now)
                // Where it was resumed was judged then.
                case .resume: try route.resume(at: now, from: nil)
                case .finish: try route.finish(at: now)
                }
            } catch {
                throw SessionsError(error)
            }
        }
    }

    private func clock(_ time: Timestamp) -> Duration {
        let (since, overflow) = time.microseconds.subtractingReportingOverflow(start.microseconds)
        return .microseconds(overflow ? .max : since)
    }
}
