import Foundation
import Samples
import Testing

@testable import Statistics

/// Univariate and linear data sets of the NIST Statistical Reference Datasets.
struct CertifiedTests {
    struct DataSet: CustomTestStringConvertible {
        let testDescription: String
        let numbers: [Double]
        let mean: Double
        let deviation: Double
        /// The digits that must be correct, limited by rounding of the decimal data to binary.
        let digits: Double
    }

    private static func alternating(_ base: Double, _ low: Double, _ high: Double) -> [Double] {
        [base] + (0..<1000).map { $0 % 2 == 0 ? low : high }
    }

    /// NIST's list has a 3 in place of one 8 among its last digits; its certified values are those
    /// of that list.
    private static var listedPiDigits: [Double] {
        var digits = CertifiedData.piDigits(5000)
        if let last = digits.lastIndex(of: 8) { digits[last] = 3 }
        return digits
    }

    static let sets = [
        DataSet(
            testDescription: "PiDigits", numbers: listedPiDigits, mean: 4.5348,
            deviation: 2.86733906028871, digits: 14.5),
        DataSet(
            testDescription: "Lottery", numbers: CertifiedData.lottery, mean: 518.958715596330,
            deviation: 291.699727470969, digits: 14.5),
        DataSet(
            testDescription: "Lew", numbers: CertifiedData.lew, mean: -177.435,
            deviation: 277.332168044316, digits: 14.5),
        DataSet(
            testDescription: "Mavro", numbers: CertifiedData.mavro, mean: 2.001856,
            deviation: 0.000429123454003053, digits: 12.5),
        DataSet(
            testDescription: "Michelso", numbers: CertifiedData.michelson, mean: 299.8524,
            deviation: 0.0790105478190518, digits: 13),
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

    @Test func `the data sets are complete`() {
        #expect(Self.sets.map(\.numbers.count) == [5000, 218, 200, 50, 100, 3, 1001, 1001, 1001])
        #expect(CertifiedData.piDigits(12) == [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8])
        // The Feynman point: six nines from the 762nd decimal on.
        #expect(CertifiedData.piDigits(769).suffix(8) == [4, 9, 9, 9, 9, 9, 9, 8])
    }

    @Test func `the line through the NIST data set Norris is the certified one`() throws {
        let numbers = CertifiedData.norris
        #expect(numbers.count == 72)
        let y = stride(from: 0, to: 72, by: 2).map { numbers[$0] }
        let x = stride(from: 1, to: 72, by: 2).map { numbers[$0] }
        let line = try #require(LinearTrend(x, y))
        #expect(Self.digits(line.slope, 1.00211681802045) >= 14)
        #expect(Self.digits(line.intercept, -0.262323073774029) >= 12)
        #expect(Self.digits(try #require(line.rSquared), 0.999993745883712) >= 14)
        #expect(Self.digits(try #require(line.standardError), 0.000429796848199937) >= 12)
    }

    @Test(arguments: sets, [false, true])
    func `mean and deviation are the certified ones`(set: DataSet, isBulk: Bool) throws {
        let moments =
            isBulk ? set.numbers.withUnsafeBufferPointer { Moments($0) } : Moments(set.numbers)
        let mean = try #require(moments.mean)
        let deviation = try #require(moments.sampleVariance).squareRoot()
        #expect(Self.digits(mean, set.mean) >= 14.5)
        #expect(Self.digits(deviation, set.deviation) >= set.digits)
    }

    /// The log relative error: the number of correct decimal digits.
    private static func digits(_ found: Double, _ certified: Double) -> Double {
        found == certified ? 16 : -log10(abs(found - certified) / abs(certified))
    }
}
