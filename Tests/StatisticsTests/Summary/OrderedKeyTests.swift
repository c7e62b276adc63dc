import Testing

@testable import Statistics

struct OrderedKeyTests {
    @Test func `keys have the order of the numbers, and neighbours differ by one`() {
        let numbers: [Double] = [
            -.infinity, -.greatestFiniteMagnitude, -1.nextUp, -1, -.leastNonzeroMagnitude, 0,
            .leastNonzeroMagnitude, .leastNormalMagnitude, 1, .greatestFiniteMagnitude, .infinity,
        ].sorted()
        let keys = numbers.map(OrderedKey.of)
        #expect(keys == keys.sorted())
        #expect(Set(keys).count == numbers.count)
        #expect(keys.map(OrderedKey.number) == numbers)
        for number in numbers where number.isFinite && number >= 0 {
            #expect(OrderedKey.of(number.nextUp) == OrderedKey.of(number) + 1)
        }
        for number in numbers where number < 0 && number.isFinite {
            #expect(OrderedKey.of(number.nextDown) == OrderedKey.of(number) - 1)
        }
        #expect(OrderedKey.of(-0.0) == OrderedKey.of(0))
    }

    @Test func `every key except zero maps back to a number in the same order`() {
        // The key below that of zero would be that of −0, which is also zero.
        let zero = OrderedKey.of(0)
        #expect(OrderedKey.number(zero - 1) == 0)
        #expect(OrderedKey.number(zero - 2) == -.leastNonzeroMagnitude)
        #expect(OrderedKey.number(zero + 1) == .leastNonzeroMagnitude)
    }
}
