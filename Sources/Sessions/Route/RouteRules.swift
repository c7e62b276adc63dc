public import Tracks

/// The limits by which a route is made of measurements of the place.
public struct RouteRules: Hashable, Sendable {
    /// Metres from the last point that make a new one.
    public var minimumDistance = 10.0
    /// The worst accuracy in metres that counts.
    public var accuracy = AccuracyLimit.coarse
    /// A paused route goes on at most so many metres from where it was paused.
    public var resumeDistance = 200.0
    /// Points more than so many metres apart are warned of.
    public var jumpDistance = 200.0
    /// A signal that is gone for longer is warned of.
    public var signalLoss = Duration.seconds(30)
    /// After a start or a resumption nothing counts for so long: a receiver that has just woken up
    /// wanders.
    public var warmUp = Duration.seconds(5)
    /// After so long without a measurement there is no signal to show.
    public var silence = Duration.seconds(5)
    /// Measurements that go on from an earlier time for so long are believed.
    public var clockCorrection = Duration.seconds(5)
    /// The most points; a route of as many takes no more.
    public var pointLimit = 1_000_000

    public init() {}
}
