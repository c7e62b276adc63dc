public import Samples

/// Positions in time, as read from or written to a file.
///
/// ```swift
/// let file = try TrackFile(bytes)
/// let text = GPXWriter.text(file.tracks[0])
/// ```
public struct Track: Hashable, Sendable {
    /// The name, if any.
    public var name: String?
    /// The description, if any.
    public var description: String?
    /// Points between pauses, in the order of the file.
    public var segments: [[RoutePoint]]

    /// Creates a track.
    public init(name: String? = nil, description: String? = nil, segments: [[RoutePoint]] = []) {
        (self.name, self.description, self.segments) = (name, description, segments)
    }

    /// Creates a track from a route, with the name and description of its session.
    public init(_ record: RouteRecord, name: String? = nil, description: String? = nil) {
        self.init(name: name, description: description, segments: record.segments)
    }

    /// All fixes, in the order of the file.
    public var fixes: [Fix] { segments.flatMap { $0.map(\.fix) } }

    /// Metres along its segments, without the gaps between them.
    public var distance: Double {
        segments.reduce(0) { $0 + Geodesy.length($1.lazy.map(\.fix.position)) }
    }
}

/// The limits of a file of tracks.
public struct TrackLimits: Hashable, Sendable {
    /// The maximum size in bytes.
    public var bytes = 64 << 20
    /// The maximum number of points, over all tracks.
    public var points = 1_000_000
    /// The maximum number of segments, over all tracks; each track counts as one more.
    public var segments = 100_000
    /// The maximum nesting of elements.
    public var depth = 32
    /// The maximum size of a text or value in bytes.
    public var text = 65_536

    /// The default limits.
    public init() {}
}

/// A point of a route.
public struct RoutePoint: Hashable, Sendable {
    /// Position and time.
    public let fix: Fix
    /// Whether the route was paused at this point (`via` in files).
    public var isPausePoint: Bool

    /// Creates a point.
    public init(_ fix: Fix, isPausePoint: Bool = false) {
        self.fix = fix
        self.isPausePoint = isPausePoint
    }
}

/// A recorded route, complete or so far.
public struct RouteRecord: Hashable, Sendable {
    /// The origin of the length.
    public enum Source: String, Hashable, Sendable, Codable {
        /// The sum of the distances between points.
        case measured
        /// Entered by the owner; there are no points then.
        case manual
    }

    /// A defect of a route.
    public enum Warning: String, Hashable, Sendable, CaseIterable, Codable {
        /// Two consecutive points are more than 200 m apart.
        case jump
        /// There was no signal for more than 30 s.
        case signalLost
    }

    /// The points between pauses, in order of time.
    public let segments: [[RoutePoint]]
    /// The length in metres.
    public let distance: Double
    /// The origin of the length.
    public let source: Source
    /// Its defects.
    public let warnings: Set<Warning>

    /// Creates a route.
    ///
    /// - Throws: ``TrackError`` `.invalid` for a single point, for points of a route whose length
    ///   was entered, and for a length that is negative or not finite.
    public init(
        segments: [[RoutePoint]], distance: Double, source: Source = .measured,
        warnings: Set<Warning> = []
    ) throws(TrackError) {
        let count = segments.reduce(0) { $0 + $1.count }
        guard count != 1 else {
            throw TrackError(.invalid, "A route has no points or at least two.")
        }
        guard source == .measured || count == 0 else {
            throw TrackError(.invalid, "A route whose length was entered has no points.")
        }
        guard distance.isFinite, distance >= 0 else {
            throw TrackError(.invalid, "The length of a route must not be negative.")
        }
        self.segments = segments.filter { !$0.isEmpty }
        self.distance = distance
        self.source = source
        self.warnings = warnings
    }

    /// All points, in order of time.
    public var points: [RoutePoint] { segments.flatMap(\.self) }
}

/// The schedule of a replay of fixes, at the recorded speed times a factor.
public struct TrackReplay: Hashable, Sendable {
    /// A fix and the time at which it is due.
    public struct Item: Hashable, Sendable {
        /// The time since the start of the replay.
        public let due: Duration
        /// The fix, with its time shifted to that of the replay.
        public let fix: Fix
        /// The recorded time of the fix.
        public let recorded: Timestamp
    }

    /// The items, in order of time.
    public let items: [Item]

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - fixes: fixes that are not later than the one before are dropped.
    ///   - start: the time of the first fix.
    ///   - speed: a factor above zero and up to a million.
    /// - Throws: ``TrackError`` `.invalid` for another speed.
    public init(_ fixes: [Fix], from start: Timestamp, speed: Double = 1) throws(TrackError) {
        guard speed > 0, speed <= 1_000_000 else {
            throw TrackError(
                .invalid, "The speed of a replay is more than 0 and at most 1 000 000.")
        }
        var items: [Item] = []
        var last: Timestamp?
        for fix in fixes {
            guard last.map({ fix.time > $0 }) ?? true, let first = fixes.first?.time else {
                continue
            }
            last = fix.time
            let after = Double(fix.time.microseconds) - Double(first.microseconds)
            guard let due = Int64(exactly: (after / speed).rounded()) else { continue }
            items.append(
                Item(
                    due: .microseconds(due),
                    fix: Fix(
                        time: start.advanced(byMicroseconds: due), position: fix.position,
                        altitude: fix.altitude, accuracy: fix.accuracy,
                        speed: fix.speed.map { $0 * speed }, heading: fix.heading),
                    recorded: fix.time))
        }
        self.items = items
    }
}

/// An error of a track or a file of tracks.
public struct TrackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// A parameter is out of range, or a route has one point, or points besides an entered length.
        case invalid
        /// The text of a file is not in the expected format.
        case malformed
        /// The file exceeds a limit.
        case tooLarge
        /// The file uses a part of its format that is rejected, such as a document type.
        case unsafe
    }

    /// The kind of error.
    public let code: Code
    /// One sentence without texts of the file.
    public let message: String
    /// What you can do.
    public let hint: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, hint: String? = nil) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }

    public var description: String { message }
}
