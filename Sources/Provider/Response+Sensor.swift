import HTTPTypes
import Hummingbird
import Samples

extension Response {
    /// The same with the sensor that it is about, where that is not the one that was asked for: the
    /// person chose it among those of the kind.
    func naming(_ sensor: SensorID, asked name: SensorID) -> Response {
        guard sensor != name else { return self }
        var response = self
        response.headers[.sensor] = sensor.description
        return response
    }
}
