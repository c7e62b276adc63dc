import Foundation
import Samples
import Testing

@testable import LAE

/// Data sets of the NIST Statistical Reference Datasets that their definitions generate exactly.
struct CertifiedTests {
    struct DataSet: CustomTestStringConvertible {
        let testDescription: String
        let numbers: [Double]
        let mean: Double
        let deviation: Double
        /// Digits that must be right, as far as the decimal data are exact in binary.
        let digits: Double
    }

    private static func alternating(_ base: Double, _ low: Double, _ high: Double) -> [Double] {
        [base] + (0..<1000).map { $0 % 2 == 0 ? low : high }
    }

    static let sets = [
        DataSet(
            testDescription: "NumAcc1", numbers: [10_000_001, 10_000_003, 10_000_002],
            mean: 10_000_002, deviation: 1, digits: 15),
        DataSet(
            testDescription: "NumAcc2", numbers: alternating(1.2, 1.1, 1.3), mean: 1.2,
            deviation: 0.1, digits: 13.5),
        DataSet(
            testDescription: "NumAcc3",
            numbers: alternating(1_000_000.2, 1_000_000.1, 1_000_000.3), mean: 1_000_000.2,
            deviation: 0.1, digits: 9),
        DataSet(
            testDescription: "NumAcc4",
            numbers: alternating(10_000_000.2, 10_000_000.1, 10_000_000.3), mean: 10_000_000.2,
            deviation: 0.1, digits: 8),
    ]

    @Test(arguments: sets, [false, true])
    func `mean and deviation are the certified ones`(set: DataSet, isBulk: Bool) throws {
        let moments =
            isBulk ? set.numbers.withUnsafeBufferPointer { Moments($0) } : Moments(set.numbers)
        let mean = try #require(moments.mean)
        let deviation = try #require(moments.sampleVariance).squareRoot()
        #expect(Self.digits(mean, set.mean) >= 15)
        #expect(Self.digits(deviation, set.deviation) >= set.digits)
    }

    /// The log relative error: how many decimal digits are right.
    private static func digits(_ found: Double, _ certified: Double) -> Double {
        found == certified ? 16 : -log10(abs(found - certified) / abs(certified))
    }
}
