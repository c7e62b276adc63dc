/// A type of data in the health store, such as `heart-rate`.
///
/// Types are a fixed list: an app asks for permission for each by its name.
///
/// ```swift
/// let type = HealthType("body-mass")
/// type?.unit  // kg
/// ```
public struct HealthType: Hashable, Sendable, LosslessStringConvertible {
    /// The kinds of data.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A fact about the owner, which only the owner sets.
        case characteristic
        /// A number with a unit.
        case quantity
        /// One of a few values, in an interval.
        case category
        /// Samples that belong together.
        case correlation
        /// An activity with an interval, and its samples.
        case workout
    }

    /// What the values of a type tell about the owner.
    public enum Family: Hashable, Sendable {
        /// Date of birth, sex and the like.
        case person
        /// Heart, breathing, blood and temperature.
        case vital
        /// Weight and measures.
        case body
        /// Steps, distances, energy and workouts.
        case activity
        /// Sleep and rest.
        case rest
        /// Food and drink.
        case nutrition
    }

    /// The name, which privileges, the API and the file use.
    public let description: String
    /// The name for people, such as `Heart rate`.
    public let title: String
    /// The kind of data.
    public let kind: Kind
    /// What its values tell.
    public let family: Family
    /// The units in which values are accepted, the one in which they are stored first; none for texts.
    public let units: [HealthUnit]
    /// The values of a category or of a characteristic with a few values; none for others.
    public let values: [String]
    /// Whether values belong to an interval and can be added up.
    public let isTotal: Bool
    /// The values that are accepted, in the stored unit.
    let range: ClosedRange<Double>

    /// The unit in which values are stored; `nil` for texts.
    public var unit: HealthUnit? { units.first }

    /// The type of a name; `nil` if there is none.
    public init?(_ name: String) {
        guard let type = Self.known[name] else { return nil }
        self = type
    }

    /// Whether an app may be allowed to read it: correlations are read with the types in them.
    public var isReadable: Bool { kind != .correlation }
    /// Whether an app may be allowed to save it: characteristics are set by the owner.
    public var isWritable: Bool { kind != .correlation && kind != .characteristic }
    /// Whether its values are samples.
    public var isSample: Bool { kind == .quantity || kind == .category }

    /// Workouts.
    public static let workout = HealthType("workout", "Workouts", .workout, .activity)
    /// A systolic and a diastolic blood pressure.
    public static let bloodPressure = HealthType(
        "blood-pressure", "Blood pressure", .correlation, .vital)
    /// The floors that a workout shows.
    public static let flightsClimbed = total("flights-climbed", "Flights climbed", ["1"])
    /// The date of birth.
    public static let dateOfBirth = HealthType(
        "date-of-birth", "Date of birth", .characteristic, .person)

    /// The types whose sum is the distance of a workout.
    public static let distances = [
        total("distance-walking-running", "Walking and running distance", lengths),
        total("distance-cycling", "Cycling distance", lengths),
        total("distance-swimming", "Swimming distance", lengths),
    ]

    /// Every type, in the order in which lists show them.
    public static let all: [HealthType] =
        [
            dateOfBirth,
            choice("sex", "Sex", ["female", "male", "other"]),
            choice("blood-type", "Blood type", ["A+", "A-", "B+", "B-", "AB+", "AB-", "O+", "O-"]),
            choice("skin-type", "Skin type (Fitzpatrick)", ["1", "2", "3", "4", "5", "6"]),
            choice("wheelchair", "Wheelchair use", ["yes", "no"]),
            HealthType(
                "height", "Height", .characteristic, .person,
                units: ["m", "cm", "[in_i]", "[ft_i]"], range: 0...3),
            vital("heart-rate", "Heart rate", frequencies),
            vital("resting-heart-rate", "Resting heart rate", frequencies),
            vital("heart-rate-variability", "Heart rate variability", ["ms", "s"]),
            vital("respiratory-rate", "Respiratory rate", frequencies),
            vital("oxygen-saturation", "Oxygen saturation", ["%", "1"], range: 0...100),
            vital("blood-pressure-systolic", "Systolic blood pressure", pressures),
            vital("blood-pressure-diastolic", "Diastolic blood pressure", pressures),
            vital("body-temperature", "Body temperature", ["Cel", "K", "[degF]"], range: 0...60),
            vital("blood-glucose", "Blood glucose", ["mmol/L", "mg/dL"]),
            vital("vo2-max", "Maximal oxygen uptake", ["mL/(kg.min)"]),
            body(
                "body-mass", "Body mass", ["kg", "g", "[lb_av]", "[oz_av]", "[stone_av]"]),
            body("body-fat", "Body fat", ["%", "1"], range: 0...100),
            body("body-mass-index", "Body mass index", ["kg/m2"]),
            body(
                "waist-circumference", "Waist circumference", ["m", "cm", "[in_i]", "[ft_i]"]),
            total("steps", "Steps", ["1"]),
            flightsClimbed,
        ] + distances + [
            total("active-energy", "Active energy", energies),
            total("basal-energy", "Basal energy", energies),
            total("exercise-time", "Exercise time", ["min", "s", "h"]),
            moving("speed", "Speed", ["m/s", "km/h", "[mi_i]/h"]),
            moving("cadence", "Cadence", frequencies),
            moving("power", "Power", ["W", "kW"]),
            total("dietary-energy", "Dietary energy", energies, .nutrition),
            total("dietary-water", "Dietary water", ["L", "mL"], .nutrition),
            category(
                "sleep", "Sleep", .rest, ["in-bed", "asleep", "awake", "core", "deep", "rem"]),
            category("stand-hour", "Stand hours", .activity, ["stood", "idle"]),
            category("mindful", "Mindful minutes", .rest, ["session"]),
            bloodPressure,
            workout,
        ]

    /// The types that belong to a correlation, each exactly once; none for other types.
    public var parts: [HealthType] {
        guard self == Self.bloodPressure else { return [] }
        return ["blood-pressure-systolic", "blood-pressure-diastolic"].compactMap(Self.init)
    }

    // MARK: - Private

    private static let known = Dictionary(uniqueKeysWithValues: all.map { ($0.description, $0) })

    private static let frequencies = ["/min", "/s", "Hz"]
    private static let lengths = ["m", "km", "cm", "[mi_i]", "[ft_i]", "[yd_i]"]
    private static let energies = ["kcal", "cal", "kJ", "J", "W.h", "kW.h"]
    private static let pressures = ["mm[Hg]", "kPa", "Pa", "hPa"]
    private static let positive = 0...Double.greatestFiniteMagnitude

    private init(
        _ name: String, _ title: String, _ kind: Kind, _ family: Family, units: [String] = [],
        values: [String] = [], isTotal: Bool = false, range: ClosedRange<Double>? = nil
    ) {
        description = name
        self.title = title
        self.kind = kind
        self.family = family
        self.units = units.compactMap(HealthUnit.init)
        self.values = values
        self.isTotal = isTotal
        self.range = range ?? Self.positive
    }

    private static func choice(_ name: String, _ title: String, _ values: [String]) -> HealthType {
        HealthType(name, title, .characteristic, .person, values: values)
    }

    private static func vital(
        _ name: String, _ title: String, _ units: [String], range: ClosedRange<Double>? = nil
    ) -> HealthType {
        HealthType(name, title, .quantity, .vital, units: units, range: range)
    }

    private static func body(
        _ name: String, _ title: String, _ units: [String], range: ClosedRange<Double>? = nil
    ) -> HealthType {
        HealthType(name, title, .quantity, .body, units: units, range: range)
    }

    private static func moving(_ name: String, _ title: String, _ units: [String]) -> HealthType {
        HealthType(name, title, .quantity, .activity, units: units)
    }

    private static func total(
        _ name: String, _ title: String, _ units: [String], _ family: Family = .activity
    ) -> HealthType {
        HealthType(name, title, .quantity, family, units: units, isTotal: true)
    }

    private static func category(
        _ name: String, _ title: String, _ family: Family, _ values: [String]
    ) -> HealthType {
        HealthType(name, title, .category, family, values: values)
    }

    public static func == (left: HealthType, right: HealthType) -> Bool {
        left.description == right.description
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// The activity of a workout.
public enum WorkoutActivity: String, Hashable, Sendable, CaseIterable, Codable {
    case walking, running, cycling, driving, hiking, swimming, rowing, strength, other
}
