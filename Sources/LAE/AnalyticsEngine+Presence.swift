public import Samples
import VM

extension AnalyticsEngine {
    /// Says whether a sensor can be read at all, which is no secret: so nobody is asked for what is
    /// not there.
    ///
    /// The name of a kind passes where it has instances: which of them is meant, a grant says.
    ///
    /// - Throws: `unknownSensor` or `unavailable`.
    public func checkReadable(_ sensor: SensorID) async throws(LAEError) {
        let instances = await machine.instances(of: sensor)
        guard instances.isEmpty || instances.contains(sensor) else { return }
        _ = try await fields(of: sensor)
    }
}
