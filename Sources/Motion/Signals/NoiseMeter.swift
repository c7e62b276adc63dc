public import Samples

/// Tells how loud it is, second by second, from sound whose samples have times, whatever rate it has.
///
/// The first 32 samples only tell the rate; below 4000 a second nothing follows. See ``NoiseLevel``:
/// levels are relative to full scale, weighted as ears hear.
public struct NoiseMeter: Sendable {
    public private(set) var dropped = 0
    private var rate = SampleRate()
    private var level: NoiseLevel?

    public init() {}
}

extension NoiseMeter: DerivedSensor {
    /// −1 to 1 at full scale.
    public static let inputs = [Field("sound", unit: "1")]
    /// Over the window, and of its loudest eighth of a second.
    public static let outputs = [Field("level", unit: "dB"), Field("maximum", unit: "dB")]

    public mutating func take(_ sample: Sample) -> Sample? {
        guard let sound = sample.numbers(1)?.first else {
            dropped += 1
            return nil
        }
        if rate.take(sample.time), let perSecond = rate.perSecond {
            level = NoiseLevel(rate: perSecond)
        }
        return level?.take(CollectionOfOne(sound), from: sample.time).last.map {
            Sample(time: $0.time, values: [.number($0.equivalent), .number($0.maximum)])
        }
    }
}
