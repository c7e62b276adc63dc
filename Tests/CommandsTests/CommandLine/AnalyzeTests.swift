import Foundation
import TestSupport
import Testing

/// Analyses on the command line, of this machine's own sensors.
@Suite(.blocking)
struct AnalyzeTests {
    @Test func `a list is a table, truncated if it is long`() throws {
        let sandbox = try Sandbox()
        for _ in 0..<3 { #expect(try sandbox.nervous("query", "load").code == 0) }
        let call = try sandbox.nervous("analyze", "smallest", "load.load1", "--limit", "2")
        #expect(call.code == 0)
        let lines = call.output.split(separator: "\n")
        #expect(lines.first?.hasSuffix(" rows") == true)
        #expect(lines.dropFirst().first?.contains(/^TIME +VALUE$/) == true)
        #expect(lines.count == 4)
        #expect(call.errors.contains(" not shown: use --limit or --json."))
    }

    @Test func `parameters are parsed by their form`() throws {
        let sandbox = try Sandbox()
        for _ in 0..<2 { #expect(try sandbox.nervous("query", "load").code == 0) }
        let call = try sandbox.nervous(
            "analyze", "k-means", "load.load1", "load.load5", "--set", "k=1", "--set",
            "scale=false",
            "--json")
        #expect(call.code == 0)
        let answer = try JSONSerialization.jsonObject(with: Data(call.output.utf8))
        let result = (answer as? [String: Any])?["result"] as? [String: Any]
        #expect((result?["clusters"] as? [Any])?.count == 1)
        let resampled = try sandbox.nervous(
            "analyze", "resample", "load.load1", "--every", "1h", "--set", "method=last")
        #expect(resampled.code == 0)
    }

    @Test func `too few samples are reported`() throws {
        let sandbox = try Sandbox()
        let call = try sandbox.nervous("analyze", "trend", "load.load1", "--to", "0")
        #expect(call.code == 0)
        #expect(call.output.isEmpty)
        #expect(call.errors.contains("too few samples"))
    }
}
