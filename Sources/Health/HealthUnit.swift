/// A unit of measurement, by its UCUM code, and how it relates to the base unit of its dimension.
///
/// Two units convert into each other exactly if they have the same dimension.
///
/// ```swift
/// let pounds = HealthUnit("[lb_av]"), kilograms = HealthUnit("kg")
/// pounds?.convert(165, to: kilograms!)  // 74.84…
/// ```
public struct HealthUnit: Hashable, Sendable, CustomStringConvertible {
    /// What a unit measures.
    enum Dimension: Hashable, Sendable {
        case number, frequency, time, length, mass, temperature, pressure, energy, power, volume
        case speed, concentration, massPerArea, oxygenUptake
    }

    /// The UCUM code.
    public let description: String
    let dimension: Dimension
    /// A value in the base unit is `value * factor + offset`.
    private let factor: Double
    private let offset: Double

    /// The unit of a code; `nil` for codes that no type of health data uses.
    public init?(_ code: String) {
        guard let unit = Self.known[code] else { return nil }
        self = unit
    }

    private init(_ code: String, _ dimension: Dimension, _ factor: Double, offset: Double = 0) {
        description = code
        self.dimension = dimension
        self.factor = factor
        self.offset = offset
    }

    /// A value of this unit in another unit; `nil` for a unit of another dimension.
    public func convert(_ value: Double, to other: HealthUnit) -> Double? {
        guard dimension == other.dimension else { return nil }
        // Without arithmetic, so that a value in the stored unit stays the same number.
        guard self != other else { return value }
        return (value * factor + offset - other.offset) / other.factor
    }

    // The factors are exact by definition: the international yard and pound (1959), the calorie of
    // thermochemistry (4.184 J), the millimetre of mercury (133.322387415 Pa), as in UCUM. The molar
    // mass of glucose is 180.156 g/mol. The smallest unit is the base where that makes all factors
    // whole numbers, so that 99 a minute are 1.65 a second and not something close to it.
    private static let all = [
        HealthUnit("%", .number, 1), HealthUnit("1", .number, 100),
        HealthUnit("/min", .frequency, 1), HealthUnit("/s", .frequency, 60),
        HealthUnit("Hz", .frequency, 60),
        HealthUnit("ms", .time, 1), HealthUnit("s", .time, 1000), HealthUnit("min", .time, 60_000),
        HealthUnit("h", .time, 3_600_000),
        HealthUnit("cm", .length, 1), HealthUnit("m", .length, 100),
        HealthUnit("km", .length, 100_000), HealthUnit("[in_i]", .length, 2.54),
        HealthUnit("[ft_i]", .length, 30.48), HealthUnit("[yd_i]", .length, 91.44),
        HealthUnit("[mi_i]", .length, 160_934.4),
        HealthUnit("g", .mass, 1), HealthUnit("kg", .mass, 1000),
        HealthUnit("[lb_av]", .mass, 453.592_37), HealthUnit("[oz_av]", .mass, 28.349_523_125),
        HealthUnit("[stone_av]", .mass, 6350.293_18),
        HealthUnit("K", .temperature, 1), HealthUnit("Cel", .temperature, 1, offset: 273.15),
        HealthUnit("[degF]", .temperature, 5.0 / 9, offset: 459.67 * 5 / 9),
        HealthUnit("Pa", .pressure, 1), HealthUnit("hPa", .pressure, 100),
        HealthUnit("kPa", .pressure, 1000), HealthUnit("mm[Hg]", .pressure, 133.322_387_415),
        HealthUnit("J", .energy, 1), HealthUnit("kJ", .energy, 1000),
        HealthUnit("cal", .energy, 4.184), HealthUnit("kcal", .energy, 4184),
        HealthUnit("W.h", .energy, 3600), HealthUnit("kW.h", .energy, 3_600_000),
        HealthUnit("W", .power, 1), HealthUnit("kW", .power, 1000),
        HealthUnit("mL", .volume, 1), HealthUnit("L", .volume, 1000),
        HealthUnit("km/h", .speed, 1), HealthUnit("m/s", .speed, 3.6),
        HealthUnit("[mi_i]/h", .speed, 1.609_344),
        HealthUnit("mg/dL", .concentration, 1), HealthUnit("mmol/L", .concentration, 18.015_6),
        HealthUnit("kg/m2", .massPerArea, 1),
        HealthUnit("mL/(kg.min)", .oxygenUptake, 1),
    ]

    private static let known = Dictionary(uniqueKeysWithValues: all.map { ($0.description, $0) })
}
