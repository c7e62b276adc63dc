import Samples
import TestSupport
import Testing
import Tracks

struct FixTests {
    private let time = Timestamp(microseconds: 9)

    @Test func `a sample is converted to a fix by field names in any order`() throws {
        let fields = ["speed", "longitude", "mode", "latitude", "accuracy"].map { Field($0) }
        let values: [Value] = [.number(3), .number(12.5), .integer(3), .number(55), .integer(7)]
        let fix = try #require(Fix(Sample(time: time, values: values), fields: fields))
        #expect(fix == Fix(time: time, position: try place(55, 12.5), accuracy: 7, speed: 3))
    }

    @Test(
        arguments: [
            [], [.number(55)], [.number(91), .number(0)], [.text("55"), .number(0)],
            [.number(.nan), .number(0)],
        ] as [[Value]])
    func `a sample without a position is not a fix`(values: [Value]) {
        #expect(Fix(Sample(time: time, values: values), fields: Fix.fields) == nil)
    }

    @Test func `values that are not finite are unknown`() throws {
        let fix = Fix(
            time: time, position: try place(0, 0), altitude: .nan, accuracy: -1,
            speed: .infinity, heading: -.infinity)
        #expect(fix == Fix(time: time, position: try place(0, 0)))
    }
}
