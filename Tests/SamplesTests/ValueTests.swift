import Samples
import Testing

struct ValueTests {
    @Test(arguments: [
        (Value.number(1), Field.Kind.number, true),
        (.number(.leastNonzeroMagnitude), .number, true),
        (.number(-.greatestFiniteMagnitude), .number, true), (.number(.nan), .number, false),
        (.number(.infinity), .number, false), (.number(-.infinity), .number, false),
        (.number(1), .integer, false), (.integer(1), .number, false),
        (.integer(.min), .integer, true), (.text(""), .text, true), (.text("x"), .state, true),
        (.text("1"), .number, false), (.text("1"), .integer, false), (.integer(1), .text, false),
        (.number(1), .state, false),
    ])
    func `a value fits only fields of its own kind`(value: Value, kind: Field.Kind, fits: Bool) {
        #expect(value.fits(kind) == fits)
    }

    @Test func `integers beyond 2^53 are rounded to a double`() {
        #expect(Value.integer(9_007_199_254_740_993).double == 9_007_199_254_740_992)
        #expect(Value.integer(.max).double == 9_223_372_036_854_775_808)
        #expect(Value.text("3").double == nil)
    }
}
