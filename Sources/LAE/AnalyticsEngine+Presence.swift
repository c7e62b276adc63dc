public import Samples

extension AnalyticsEngine {
    /// Says whether a sensor can be read at all, which is no secret: so nobody is asked for what is
    /// not there.
    ///
    /// - Throws: `unknownSensor` or `unavailable`.
    public func checkReadable(_ sensor: SensorID) async throws(LAEError) {
        _ = try await fields(of: sensor)
    }
}
