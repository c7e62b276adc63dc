import Foundation
import TestSupport

/// Numbers of many distributions, reproducible from one seed.
enum NumberSets {
    static let names = [
        "nothing", "one", "equal", "zeros", "gauss", "mixed", "huge", "subnormal", "exponents",
        "ends", "neighbours", "waves", "outliers", "mostly zeros",
    ]

    static func make(_ name: String, _ count: Int, using random: inout SplitMix) -> [Double] {
        if name == "nothing" { return [] }
        if name == "one" { return [Double.random(in: -9...9, using: &random)] }
        return (0..<count).map { number(name, $0, using: &random) }
    }

    private static func number(_ name: String, _ index: Int, using random: inout SplitMix) -> Double
    {
        let sign: Double = Bool.random(using: &random) ? 1 : -1
        let gauss = (0..<12).reduce(-6.0) { sum, _ in sum + .random(in: 0..<1, using: &random) }
        switch name {
        case "equal": return -9.81
        case "zeros": return sign * 0
        case "gauss": return 20 + gauss
        case "mixed": return gauss
        case "huge": return sign * .random(in: 1e307 ... .greatestFiniteMagnitude, using: &random)
        case "subnormal":
            let bits = UInt64.random(in: 0...0x000F_FFFF_FFFF_FFFF, using: &random)
            return sign * Double(bitPattern: bits >> UInt64.random(in: 0...52, using: &random))
        case "exponents":
            return sign * Double(bitPattern: .random(in: 0..<0x7FF0_0000_0000_0000, using: &random))
        case "ends":
            let ends = [Double.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, 1]
            return sign * ends[Int.random(in: 0..<4, using: &random)]
        case "neighbours": return Double(bitPattern: 1.0.bitPattern + UInt64(index % 5))
        case "waves": return sin(Double(index) * .pi / 4)
        case "outliers": return index % 97 == 0 ? sign * 1e200 : gauss
        default: return index % 10 == 0 ? gauss : 0
        }
    }
}
