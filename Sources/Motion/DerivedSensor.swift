public import Samples

/// Makes samples of one sensor of those of another, one at a time and in bounded memory.
///
/// A value without clock, threads or files: times are those of the samples.
public protocol DerivedSensor: Sendable {
    /// The fields that samples must have, in this order.
    static var inputs: [Field] { get }
    /// The fields of the samples that it makes.
    static var outputs: [Field] { get }
    /// How many samples were dropped because they lacked a number, or came too late.
    var dropped: Int { get }

    /// Takes a sample with the fields of ``inputs``.
    ///
    /// - Returns: `nil` while there is nothing new to say.
    mutating func take(_ sample: Sample) -> Sample?
}

extension Sample {
    /// The numbers of a sample that has at least so many; `nil` when one is none or not finite.
    func numbers(_ count: Int) -> [Double]? {
        guard values.count >= count else { return nil }
        var numbers: [Double] = []
        for value in values.prefix(count) {
            guard let number = value.double, number.isFinite else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}
