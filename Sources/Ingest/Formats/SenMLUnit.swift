/// The units of SenML (RFC 8428, section 12.1) and their relation to UCUM.
enum SenMLUnit {
    /// `senml = ucum · multiplier / divisor + offset`.
    struct Conversion: Equatable {
        static let identity = Conversion()

        var multiplier = 1.0
        var divisor = 1.0
        var offset = 0.0

        var isIdentity: Bool { self == .identity }

        /// A value in the SenML unit, from one in UCUM.
        func written(_ value: Double) -> Double {
            isIdentity ? value : value * multiplier / divisor + offset
        }

        /// A value in UCUM, from one in the SenML unit.
        func read(_ value: Double) -> Double {
            isIdentity ? value : (value - offset) * divisor / multiplier
        }
    }

    private struct Row {
        let senml: String
        let ucum: String
        let conversion: Conversion

        init(
            _ senml: String, _ ucum: String, times multiplier: Double = 1, over divisor: Double = 1,
            plus offset: Double = 0
        ) {
            (self.senml, self.ucum) = (senml, ucum)
            conversion = Conversion(multiplier: multiplier, divisor: divisor, offset: offset)
        }
    }

    /// The first row of a UCUM unit is the one that is written.
    private static let rows: [Row] =
        [
            "m", "kg", "g", "s", "A", "K", "cd", "mol", "Hz", "rad", "sr", "N", "Pa", "J", "W", "C",
            "V", "F", "Ohm", "S", "Wb", "T", "H", "Cel", "lm", "lx", "Bq", "Gy", "Sv", "kat", "m2",
            "m3", "l", "m/s", "m/s2", "m3/s", "l/s", "W/m2", "cd/m2", "bit", "bit/s", "dB", "S/m",
            "%",
        ].map { Row($0, $0) } + [
            Row("l", "L"), Row("l/s", "L/s"), Row("pH", "[pH]"), Row("dBW", "dB[W]"),
            Row("Bspl", "B[SPL]"), Row("1/s", "/s"), Row("1/min", "/min"), Row("beat/min", "/min"),
            Row("%RH", "%"), Row("%EL", "%"), Row("/", "%", over: 100), Row("EL", "s"),
            Row("lat", "deg"), Row("lon", "deg"), Row("count", "1"), Row("/", "1"),
            Row("beats", "1"),
            Row("m", "cm", over: 100), Row("m", "mm", over: 1000), Row("m", "km", times: 1000),
            Row("m/s", "mm/s", over: 1000), Row("m/s", "km/h", times: 5, over: 18),
            Row("s", "us", over: 1_000_000), Row("s", "ms", over: 1000), Row("s", "min", times: 60),
            Row("s", "h", times: 3600), Row("Pa", "hPa", times: 100), Row("Pa", "kPa", times: 1000),
            Row("Hz", "kHz", times: 1000), Row("Hz", "MHz", times: 1_000_000),
            Row("J", "W.s"), Row("J", "W.h", times: 3600), Row("J", "kW.h", times: 3_600_000),
            Row("W", "mW", over: 1000), Row("W", "kW", times: 1000), Row("V", "mV", over: 1000),
            Row("A", "mA", over: 1000), Row("C", "A.s"), Row("C", "A.h", times: 3600),
            Row("Cel", "[degF]", times: 5, over: 9, plus: -160.0 / 9),
            Row("K", "Cel", plus: 273.15), Row("Cel", "K", plus: -273.15),
            Row("dBW", "dB[mW]", plus: -30), Row("rad", "deg", times: .pi, over: 180),
            Row("bit", "By", times: 8), Row("bit/s", "By/s", times: 8),
            Row("/", "[ppm]", over: 1_000_000),
        ]

    /// The units of sums over time: that of the values, and that of the sum.
    private static let sums: [(value: String, sum: String)] = [
        ("W", "J"), ("A", "C"), ("m/s", "m"), ("m3/s", "m3"), ("l/s", "l"), ("bit/s", "bit"),
        ("Hz", "/"), ("1/s", "/"), ("Bq", "/"), ("lm", "lm.s"), ("lx", "lx.s"), ("N", "N.s"),
        ("/", "s"), ("count", "s"),
    ]

    /// The unit in which a field is written, and the conversion to it; `nil` if SenML has no such unit,
    /// and for fields without a dimension.
    ///
    /// - Parameter field: its name, which distinguishes latitudes and longitudes from other angles.
    static func written(
        ucum: String?, field: String
    ) -> (unit: String, conversion: Conversion)? {
        guard let ucum = ucum.map(plain), ucum != "1" else { return nil }
        if ucum == "deg" {
            if field == "latitude" { return ("lat", .identity) }
            if field == "longitude" { return ("lon", .identity) }
            return rows.first { $0.senml == "rad" && $0.ucum == ucum }
                .map { ($0.senml, $0.conversion) }
        }
        return rows.first { $0.ucum == ucum }.map { ($0.senml, $0.conversion) }
    }

    /// The conversion from a SenML unit to that of a field; `nil` if there is none.
    ///
    /// - Parameter unit: `nil` for a record without a unit, whose values have the unit of the field.
    static func conversion(from unit: String?, toUCUM ucum: String?) -> Conversion? {
        guard let unit else { return .identity }
        guard let ucum = ucum.map(plain) else { return nil }
        if let row = rows.first(where: { $0.senml == unit && $0.ucum == ucum }) {
            return row.conversion
        }
        // Sums may have a product as unit, which is the same in both.
        return unit == ucum && unit.hasSuffix(".s") ? .identity : nil
    }

    /// The unit of the sum of values with this unit over time.
    static func sum(of unit: String) -> String {
        sums.first { $0.value == unit }?.sum ?? unit + ".s"
    }

    /// A unit without its annotations, which do not change it: `1` for `{step}`, `/min` for `{beat}/min`.
    private static func plain(_ ucum: String) -> String {
        let bare = ucum.replacing(/\{[^}]*\}/, with: "")
        return bare.isEmpty ? "1" : bare
    }
}
