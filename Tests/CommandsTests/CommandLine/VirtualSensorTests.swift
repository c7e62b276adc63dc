import Foundation
import TestSupport
import Testing

/// `nervous sensors define` as text and as JSON.
@Suite(.blocking)
struct VirtualSensorTests {
    private struct Sensors: Decodable {
        struct Sensor: Decodable {
            struct Definition: Decodable {
                let inputs: [String]
                let window: String
            }
            let id: String
            let source: String
            let definition: Definition?
        }
        let items: [Sensor]
    }

    private func find(_ id: String, _ sandbox: Sandbox) throws -> Sensors.Sensor? {
        let text = try sandbox.nervous("sensors", "--json").output
        return try JSONDecoder().decode(Sensors.self, from: Data(text.utf8)).items
            .first { $0.id == id }
    }

    @Test func `a sensor defined by options is listed, read, survives restarts and is removed`()
        throws
    {
        let sandbox = try Sandbox()
        let defined = try sandbox.nervous(
            "sensors", "define", "virtual.burden", "--window", "1ms", "--output",
            "mean=mean(load.load1)", "--output", "most:1=max(load.load1)")
        #expect(defined.code == 0)
        #expect(defined.output.hasPrefix("Defined virtual.burden."))
        // Each command starts its own host: the list comes from the file.
        let sensor = try find("virtual.burden", sandbox)
        #expect(sensor?.source == "virtual")
        #expect(sensor?.definition?.inputs == ["load.load1"])
        #expect(sensor?.definition?.window == "1ms")
        #expect(
            try sandbox.nervous("sensors").output.contains(/virtual\.burden +virtual .*mean .*most/)
        )
        let query = try sandbox.nervous("query", "virtual.burden", "--json")
        #expect(query.code == 0)
        #expect(query.output.contains("\"most\""))
        #expect(try sandbox.nervous("sensors", "remove", "virtual.burden").code == 0)
        #expect(try find("virtual.burden", sandbox) == nil)
    }

    @Test func `a file defines a sensor, unless it has an unknown member`() throws {
        let sandbox = try Sandbox()
        let file = sandbox.path("burden.json")
        let text = """
            {"name": "virtual.burden", "inputs": ["load.load1"], "window": "1h", "slide": "10m",
             "outputs": [{"name": "p", "by": "p95"}]}
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try sandbox.nervous("sensors", "define", file).code == 0)
        #expect(try find("virtual.burden", sandbox)?.definition?.window == "1h")
        try text.replacing("slide", with: "step").write(
            toFile: file, atomically: true, encoding: .utf8)
        let refused = try sandbox.nervous("sensors", "define", file)
        #expect(refused.code == 65)
        #expect(try sandbox.nervous("sensors", "define", "nothing.json").code == 66)
    }

    @Test func `a definition with unknown inputs is rejected with the reason`() throws {
        let sandbox = try Sandbox()
        let refused = try sandbox.nervous(
            "sensors", "define", "virtual.burden", "--window", "1m", "--output",
            "mean=mean(nothing.at)")
        #expect(refused.code != 0)
        #expect(refused.errors.contains("There is no sensor named nothing."))
        #expect(try sandbox.nervous("sensors", "define", "a", "--output", "m=mean(b.c)").code == 64)
        #expect(
            try sandbox.nervous("sensors", "define", "a", "--window", "1s", "--output", "mean")
                .code == 64)
    }
}
