public import Samples
public import Tracks

/// The route of a session, from the fixes that were stored while it was active.
///
/// It takes the fixes of its ``spans`` in order of time. The times of fixes and steps are the clock
/// of the route.
///
/// ```swift
/// var route = SessionRoute(session)
/// for fix in fixes { try route.take(fix) }
/// let record = try route.record()
/// ```
public struct SessionRoute: Sendable {
    /// When fixes belong to the route; empty if its length was entered.
    public let spans: [TimeRange]

    private let start: Timestamp
    private let entered: Double?
    private var route: Route
    /// The steps after the last fix.
    private var events: ArraySlice<SessionRecord.Event>

    /// Creates the route of a session.
    public init(_ record: SessionRecord, rules: RouteRules = RouteRules()) {
        // The last span of an active session is open: a sensor's clock may be ahead.
        spans =
            record.enteredDistance == nil ? record.session.spans(until: .distantFuture) : []
        start = record.events.first?.time ?? record.session.created
        events = record.events[...]
        route = Route(rules: rules)
        entered = record.enteredDistance
    }

    /// The length in metres so far; `nil` before the first position.
    public var distance: Double? {
        entered ?? (route.segments.contains { !$0.isEmpty } ? route.distance : nil)
    }

    /// Takes the next fix.
    ///
    /// - Throws: `wrongState` for an invalid sequence of steps.
    public mutating func take(_ fix: Fix) throws(SessionsError) {
        try apply { $0.time <= fix.time }
        route.take(fix, at: clock(fix.time))
    }

    /// The route after the last fix.
    ///
    /// - Throws: `wrongState` for an invalid sequence of steps.
    public consuming func record() throws(SessionsError) -> RouteRecord {
        try finished().record
    }

    /// Checks, after the last fix, whether a paused session can resume at a position.
    ///
    /// A session whose length was entered can resume anywhere.
    ///
    /// - Throws: `tooFar` more than 200 m from the last point, `inaccurate` beyond an accuracy of 100 m,
    ///   `wrongState` unless it is paused.
    public consuming func checkResumption(from fix: Fix) throws(SessionsError) {
        guard entered == nil else { return }
        var route = try finished()
        // The check does not depend on the clock.
        try route.resume(at: .zero, from: fix)
    }

    // MARK: - Private

    /// The route after the last fix, in the state of the session.
    private consuming func finished() throws(SessionsError) -> Route {
        try apply { _ in true }
        if let entered { try route.enter(distance: entered) }
        return route
    }

    private mutating func apply(
        while isDue: (SessionRecord.Event) -> Bool
    ) throws(SessionsError) {
        while let event = events.first, isDue(event) {
            events.removeFirst()
            let now = clock(event.time)
            switch event.step {
            case .start: try route.start(at: now)
            case .pause: try route.pause(at: now)
            // The position was checked when the session was resumed.
            case .resume: try route.resume(at: now, from: nil)
            case .finish: try route.finish(at: now)
            }
        }
    }

    private func clock(_ time: Timestamp) -> Duration {
        let (since, overflow) = time.microseconds.subtractingReportingOverflow(start.microseconds)
        return .microseconds(overflow ? .max : since)
    }
}
