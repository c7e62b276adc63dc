import Ingest
import Samples

@testable import Provider

extension ServedHost {
    /// Declares a phone's sensors as `nervous sensors add-phone` does.
    ///
    /// - Returns: a token that may only publish to them.
    func addPhone(_ name: String, kinds: [String]? = nil) async throws -> String {
        let sensors = PhoneSensor.all.filter { kinds?.contains($0.kind.description) ?? true }
        let ids = sensors.compactMap { $0.id(of: name) }
        for (sensor, id) in zip(sensors, ids) {
            let fields = sensor.fields.map { field in
                let unit = field.unit.map { #", "unit": "\#($0)""# } ?? ""
                return #"{"name": "\#(field.name)", "kind": "\#(field.kind.rawValue)"\#(unit)}"#
            }
            let json = #"{"title": "x", "fields": [\#(fields.joined(separator: ","))]}"#
            let answer = try await send(
                Call("PUT", "/api/v1/sensors/\(id)", token: owner, json: json))
            guard answer.status == 201 else { throw Answer.NotHTTP(text: answer.text) }
        }
        return try await client(name, allow: ids.map { "sensor:\($0):write" })
    }

    /// The stored samples of a sensor, as CSV without its header, line by line.
    func stored(_ sensor: String) async throws -> [String] {
        let answer = try await send(
            Call(
                "GET", "/api/v1/sensors/\(sensor)/samples?limit=10000", token: owner,
                headers: [("Accept", "text/csv")]))
        return answer.text.replacing("\r\n", with: "\n").split(separator: "\n").dropFirst()
            .map(String.init)
    }
}
