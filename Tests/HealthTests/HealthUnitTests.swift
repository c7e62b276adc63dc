import Health
import Testing

/// Units of health data.
struct HealthUnitTests {
    /// Values that reference works give for the same quantity.
    @Test(arguments: [
        (1.0, "[lb_av]", 0.453_592_37, "kg"), (11, "[stone_av]", 69.853_224_98, "kg"),
        (37, "Cel", 310.15, "K"), (98.6, "[degF]", 37, "Cel"), (-40, "[degF]", -40, "Cel"),
        (120, "mm[Hg]", 15.998_686_489_8, "kPa"), (100, "mg/dL", 5.550_744_91, "mmol/L"),
        (1, "[mi_i]", 1.609_344, "km"), (6, "[ft_i]", 1.828_8, "m"), (1, "kcal", 4.184, "kJ"),
        (1, "kW.h", 860.420_650_1, "kcal"), (60, "/min", 1, "Hz"), (97, "%", 0.97, "1"),
        (36, "km/h", 10, "m/s"), (90, "min", 1.5, "h"), (250, "mL", 0.25, "L"),
    ])
    func `a value converts to the reference value of another unit, and back`(
        value: Double, unit: String, expected: Double, other: String
    ) throws {
        let (from, to) = (try #require(HealthUnit(unit)), try #require(HealthUnit(other)))
        let converted = try #require(from.convert(value, to: to))
        #expect(abs(converted - expected) <= 1e-9 * max(1, abs(expected)))
        let back = try #require(to.convert(converted, to: from))
        #expect(abs(back - value) <= 1e-12 * max(1, abs(value)))
    }

    @Test func `units convert exactly within each type, and never to those of other dimensions`()
        throws
    {
        for type in HealthType.all {
            for unit in type.units {
                let stored = try #require(type.unit)
                #expect(stored.convert(1, to: unit) != nil, "\(type) \(unit)")
            }
        }
        let kilogram = try #require(HealthUnit("kg"))
        for code in ["/min", "m", "Cel", "kcal", "1", "L"] {
            #expect(kilogram.convert(1, to: try #require(HealthUnit(code))) == nil)
        }
        #expect(HealthUnit("furlong") == nil)
        #expect(HealthUnit("KG") == nil)
    }

    @Test func `a value in the unit that is stored is not changed by arithmetic`() throws {
        for type in HealthType.all {
            guard let unit = type.unit else { continue }
            for value in [0.1, 1.0 / 3, 98.6, 1e-300, 12_345.678_9] {
                #expect(unit.convert(value, to: unit) == value)
            }
        }
    }

    @Test func `every type has a name of its own, and units, values or parts as its kind needs`() {
        #expect(Set(HealthType.all.map(\.description)).count == HealthType.all.count)
        for type in HealthType.all {
            #expect(HealthType(type.description) == type)
            switch type.kind {
            case .quantity: #expect(!type.units.isEmpty && type.values.isEmpty, "\(type)")
            case .category: #expect(type.units.isEmpty && !type.values.isEmpty, "\(type)")
            case .correlation: #expect(type.parts.count > 1, "\(type)")
            case .characteristic:
                #expect(
                    type == .dateOfBirth || type.units.isEmpty != type.values.isEmpty, "\(type)")
            case .workout: #expect(type == .workout)
            }
        }
        #expect(HealthType("pulse") == nil)
    }
}
