import Samples
import VM

@testable import LAE

extension Lab {
    static let shake: SensorID = "virtual.shake"

    /// Defines `virtual.shake`; an output is its name, what it is made by and of.
    func define(
        window: String, slide: String? = nil, _ outputs: [(String, by: String, of: [String])],
        every: String? = nil, as id: SensorID = Lab.shake
    ) async throws {
        var seen: Set<String> = []
        let derivation = Derivation(
            inputs: outputs.flatMap(\.of).filter { seen.insert($0).inserted }, window: window,
            slide: slide,
            outputs: outputs.map { output in
                Derivation.Output(
                    name: output.0, of: output.of, by: output.by,
                    every: output.of.count > 1 ? every : nil)
            })
        let sensor = try await engine.virtualSensor(id, title: "Shake", derivation)
        _ = try await machine.declare(sensor)
    }
}
