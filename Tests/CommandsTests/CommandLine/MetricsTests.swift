import Foundation
import TestSupport
import Testing

@Suite(.blocking)
struct MetricsTests {
    @Test func `nervous metrics prints the newest values and the health of the host`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("sensors", "add", "room", "--field", "heat:Cel").code == 0)
        let plain = try sandbox.nervous("metrics")
        #expect(plain.code == 0, "\(plain.errors)")
        #expect(plain.output.contains("# TYPE nervous_info gauge\nnervous_info{version="))
        #expect(plain.output.contains(#"sensor_info{sensor="room",kind="room","#))
        #expect(plain.output.hasSuffix("\n") && !plain.output.hasSuffix("\n\n"))
        let open = try sandbox.nervous("metrics", "--open-metrics")
        #expect(open.output.contains("# UNIT process_resident_memory_bytes bytes\n"))
        #expect(open.output.hasSuffix("# EOF\n"))
        let json = try sandbox.nervous("metrics", "--json")
        let text = try JSONDecoder().decode([String: String].self, from: Data(json.output.utf8))
        #expect(text["metrics"]?.contains("# TYPE nervous_info gauge") == true)
    }
}
