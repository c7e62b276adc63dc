import AppLab
import ArgumentParser
import Samples
import Simulation

/// The simulated sensors of a test or trial.
struct SimulationOptions: ParsableArguments {
    static let scenarios = Scenario.Kind.allCases.map(\.rawValue).joined(separator: ", ")

    @Option(help: "The scenario of the simulated sensors: \(Self.scenarios); room by default.")
    var scenario: String?

    @Option(
        name: .customLong("sensor"),
        help: ArgumentHelp(
            """
            Simulate this sensor instead of the one with the plain name: accelerometer.phone instead of \
            accelerometer; may be repeated.
            """,
            valueName: "sensor"))
    var sensors: [String] = []

    @Option(help: ArgumentHelp("The seed of sensor noise and random numbers.", valueName: "number"))
    var seed: UInt64 = 1

    func validate() throws {
        _ = try kind
        _ = try instances
    }

    /// The scenario; a room by default.
    var kind: Scenario.Kind {
        get throws {
            guard let scenario else { return .room }
            guard let kind = Scenario.Kind(rawValue: scenario) else {
                throw ValidationError(
                    "Unknown scenario \(scenario): choose one of \(Self.scenarios).")
            }
            return kind
        }
    }

    /// The settings of a test or trial with these sensors.
    var settings: AppTester.Settings {
        get throws {
            var settings = AppTester.Settings()
            settings.seed = seed
            settings.instances = try instances
            settings.sensors = .simulated(try kind)
            return settings
        }
    }

    private var instances: [SensorID] {
        get throws {
            try sensors.map { word in
                guard let id = SensorID(word), id != id.kind,
                    SimulatedDriver.sensors.contains(id.kind)
                else {
                    let kinds = SimulatedDriver.sensors.map(\.description).joined(separator: ", ")
                    throw ValidationError(
                        "--sensor takes an instance of a simulated kind, such as accelerometer.phone."
                            + " The kinds are \(kinds).")
                }
                return id
            }
        }
    }
}
