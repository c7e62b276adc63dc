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
    // mass of glucose is 180.156 g/mol.
    private static let all = [
        HealthUnit("1", .number, 1), HealthUnit("%", .number, 0.01),
        HealthUnit("Hz", .frequency, 1), HealthUnit("/s", .frequency, 1),
        HealthUnit("/min", .frequency, 1 / 60),
        HealthUnit("s", .time, 1), HealthUnit("ms", .time, 0.001), HealthUnit("min", .time, 60),
        HealthUnit("h", .time, 3600),
        HealthUnit("m", .length, 1), HealthUnit("cm", .length, 0.01),
        HealthUnit("km", .length, 1000), HealthUnit("[in_i]", .length, 0.0254),
        HealthUnit("[ft_i]", .length, 0.3048), HealthUnit("[yd_i]", .length, 0.9144),
        HealthUnit("[mi_i]", .length, 1609.344),
        HealthUnit("kg", .mass, 1), HealthUnit("g", .mass, 0.001),
        HealthUnit("[lb_av]", .mass, 0.453_592_37),
        HealthUnit("[oz_av]", .mass, 0.028_349_523_125),
        HealthUnit("[stone_av]", .mass, 6.350_293_18),
        HealthUnit("K", .temperature, 1), HealthUnit("Cel", .temperature, 1, offset: 273.15),
        HealthUnit("[degF]", .temperature, 5.0 / 9, offset: 459.67 * 5 / 9),
        HealthUnit("Pa", .pressure, 1), HealthUnit("hPa", .pressure, 100),
        HealthUnit("kPa", .pressure, 1000), HealthUnit("mm[Hg]", .pressure, 133.322_387_415),
        HealthUnit("J", .energy, 1), HealthUnit("kJ", .energy, 1000),
        HealthUnit("cal", .energy, 4.184), HealthUnit("kcal", .energy, 4184),
        HealthUnit("W.h", .energy, 3600), HealthUnit("kW.h", .energy, 3_600_000),
        HealthUnit("W", .power, 1), HealthUnit("kW", .power, 1000),
        HealthUnit("L", .volume, 1), HealthUnit("mL", .volume, 0.001),
        HealthUnit("m/s", .speed, 1), HealthUnit("km/h", .speed, 1 / 3.6),
        HealthUnit("[mi_i]/h", .speed, 0.447_04),
        HealthUnit("mmol/L", .concentration, 1), HealthUnit("mg/dL", .concentration, 10 / 180.156),
        HealthUnit("kg/m2", .massPerArea, 1),
        HealthUnit("mL/(kg.min)", .oxygenUptake, 1),
    ]

    private static let known = Dictionary(uniqueKeysWithValues: all.map { ($0.description, $0) })
}
