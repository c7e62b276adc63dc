public import Samples
public import Text

/// The app or program that saved an object.
public struct HealthSource: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// A number that distinguishes it from others of the same name, including earlier and later ones.
    public let number: String

    /// - Parameter number: not empty; an empty one is the owner's.
    public init(name: String, number: String) {
        (self.name, self.number) = (name, number)
    }
}

/// What the health store has stored: a sample, a workout or a correlation.
public struct HealthObject: Hashable, Sendable {
    /// What it says.
    public enum Content: Hashable, Sendable {
        /// A quantity, in the stored unit of its type.
        case number(Double)
        /// A category.
        case text(String)
        /// A workout, and the time in which it was active.
        case workout(WorkoutActivity, active: Duration)
        /// A correlation, which consists of its samples.
        case correlation
    }

    /// The workout or correlation that a sample belongs to.
    public struct Parent: Hashable, Sendable {
        /// Its identifier.
        public let id: String
        /// Its type.
        public let type: HealthType
    }

    /// A random identifier.
    public let id: String
    /// Its type.
    public let type: HealthType
    /// When it began.
    public let start: Timestamp
    /// When it ended; not before its start.
    public let end: Timestamp
    /// What it says.
    public let content: Content
    /// Who saved it; `nil` for the owner.
    public let source: HealthSource?
    /// What it belongs to, if it is a sample of a workout or correlation.
    public let parent: Parent?
    /// The key that its source gave it.
    public let key: String?
    /// What its source added.
    public let metadata: [String: JSONScalar]
}

/// A workout or correlation with its samples.
public struct HealthGroup: Hashable, Sendable {
    /// The workout or correlation.
    public let object: HealthObject
    /// Its samples, the oldest first; empty where only totals were asked for.
    public let samples: [HealthObject]
    /// The sums of its totals, in the stored units.
    public let totals: [HealthType: Double]

    /// Metres, of all distances; `nil` without one.
    public var distance: Double? {
        let found = HealthType.distances.compactMap { totals[$0] }
        return found.isEmpty ? nil : found.reduce(0, +)
    }

    /// Floors; `nil` if they were not counted.
    public var floors: Double? { totals[.flightsClimbed] }
}

/// What a caller sees: the types that it may read, and everything that it saved itself.
public struct HealthView: Hashable, Sendable {
    /// Who calls; `nil` for the owner.
    public let source: HealthSource?
    /// The types of which it sees all objects; `nil` for every type.
    let readable: Set<HealthType>?

    /// The owner's view: everything.
    public static let owner = HealthView(source: nil, readable: nil)

    /// The view of an app or program.
    public init(of source: HealthSource, readable: Set<HealthType>) {
        self.init(source: source, readable: readable)
    }

    private init(source: HealthSource?, readable: Set<HealthType>?) {
        (self.source, self.readable) = (source, readable)
    }

    /// Whether everything of a type is seen, also what others saved.
    ///
    /// Correlations are seen with all types in them.
    public func reads(_ type: HealthType) -> Bool {
        guard let readable else { return true }
        return type.parts.isEmpty ? readable.contains(type) : readable.isSuperset(of: type.parts)
    }

    /// Whether an object is the caller's own.
    public func isOwn(_ object: HealthObject) -> Bool { object.source == source }
}

/// Which objects a list has.
public struct HealthQuery: Hashable, Sendable {
    /// The objects that start in this range.
    public var range: TimeRange
    /// Whether the newest comes first.
    public var isNewestFirst: Bool
    /// The maximum number of objects.
    public var limit: Int
    /// Only what the caller saved itself.
    public var isOwnOnly: Bool
    /// The ``HealthPage/next`` of the page before.
    public var cursor: String?
    /// Only workouts of this activity.
    public var activity: WorkoutActivity?

    /// - Parameter cursor: the `next` of the page before.
    public init(
        range: TimeRange = .all, isNewestFirst: Bool = true, limit: Int = 100,
        isOwnOnly: Bool = false, cursor: String? = nil, activity: WorkoutActivity? = nil
    ) {
        self.range = range
        self.isNewestFirst = isNewestFirst
        self.limit = limit
        self.isOwnOnly = isOwnOnly
        self.cursor = cursor
        self.activity = activity
    }
}

/// A page of a list.
public struct HealthPage<Item: Sendable>: Sendable {
    /// The items, in the order of the query.
    public let items: [Item]
    /// Where the next page begins; `nil` for the last page.
    public let next: String?
}

/// Which objects the owner deletes; a condition that is `nil` always holds.
public struct HealthFilter: Hashable, Sendable {
    /// Objects of this type.
    public var type: HealthType?
    /// Objects that an app or program of this name saved.
    public var app: String?
    /// Objects that start in this range.
    public var range: TimeRange

    public init(type: HealthType? = nil, app: String? = nil, range: TimeRange = .all) {
        (self.type, self.app, self.range) = (type, app, range)
    }
}

/// How much of one type one source has saved.
public struct HealthCount: Hashable, Sendable {
    /// The type.
    public let type: HealthType
    /// The name of the source; `nil` for the owner.
    public let app: String?
    /// The number of objects.
    public let count: Int
    /// The start of the oldest and of the newest.
    public let oldest, newest: Timestamp
}
