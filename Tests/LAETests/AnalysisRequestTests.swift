import Foundation
import Samples
import Testing

@testable import LAE

struct AnalysisRequestTests {
    @Test(
        arguments: [
            ("cpu.busy", "cpu", "busy"), ("network.eth0.rxRate", "network.eth0", "rxRate"),
            ("a.é", "a", "é"),
        ])
    func `the last dot separates sensor and field`(text: String, sensor: String, field: String)
        throws
    {
        let found = try FieldReference(parsing: text)
        #expect(found.sensor.description == sensor)
        #expect(found.field == field)
        #expect(found.description == text)
    }

    @Test(arguments: ["", ".", "cpu", "cpu.", ".busy", "CPU.busy", "cpu..busy", "c pu.busy"])
    func `an invalid field reference is rejected with a hint`(text: String) {
        let error = #expect(throws: LAEError.self) { try FieldReference(parsing: text) }
        #expect(error?.code == .invalidAnalysis && error?.hint != nil)
    }

    @Test(
        arguments: [
            ("network.eth0.rxRate>=1 and cpu.x<2", nil), ("not cpu.x<2", nil),
            ("cpu.x<2 or cpu.x>3", nil), ("(cpu.x<1) and not (network.eth0.rxRate=1)", nil),
            ("cpu.x<2 or network.eth0.rxRate=1", "concerns one sensor"),
            ("not (cpu.x<2 and network.eth0.rxRate=1)", "concerns one sensor"),
            ("x<2", "does not name its sensor"), ("other.x<2", "is not an input"),
        ] as [(String, String?)])
    func `a condition with or concerns one sensor`(text: String, fault: String?) throws {
        let inputs = ["cpu.x", "network.eth0.rxRate"]
        let request = AnalysisRequest(
            try Analysis("correlation"), of: try inputs.map { try FieldReference(parsing: $0) },
            conditions: [try Condition(parsingQualified: text)], every: .seconds(1))
        guard let fault else { return try request.check() }
        let error = #expect(throws: LAEError.self) { try request.check() }
        #expect(error?.message.contains(fault) == true)
    }

    @Test(
        arguments: [
            ("histogram", ["bins": .number(0)]), ("histogram", ["bins": .number(1001)]),
            ("histogram", ["bins": .number(2.5)]), ("histogram", ["bins": .text("2")]),
            ("histogram", ["bins": .number(.nan)]), ("histogram", ["min": .number(1)]),
            ("histogram", ["min": .number(1), "max": .number(1)]),
            ("histogram", ["min": .number(-.infinity), "max": .number(1)]),
            ("entropy", ["base": .number(2)]), ("largest", ["k": .number(-1)]),
            ("smallest", ["k": .number(1e18)]), ("correlation", ["k": .number(1)]),
            ("trend", ["": .flag(true)]), ("resample", ["method": .text("cubic")]),
            ("resample", ["method": .number(1)]), ("downsample", ["points": .number(2)]),
            ("spectrum", ["segment": .number(1)]), ("spectrum", ["window": .text("")]),
            ("k-means", [:]), ("k-means", ["k": .number(51)]),
            ("k-means", ["k": .number(2), "seed": .number(-1)]),
            ("k-means", ["k": .number(2), "scale": .number(1)]), ("dbscan", [:]),
            ("dbscan", ["epsilon": .number(0)]), ("dbscan", ["epsilon": .number(.infinity)]),
            ("dbscan", ["epsilon": .number(1e200)]),
            ("dbscan", ["epsilon": .number(1), "minimum": .number(0)]),
            ("anomalies", ["threshold": .number(0)]), ("anomalies", ["limit": .number(10_001)]),
            ("anomalies", ["method": .text("best")]), ("anomalies", ["window": .number(20)]),
            ("anomalies", ["method": .text("rolling"), "window": .number(3)]),
            ("anomalies", ["method": .text("change"), "period": .text("1d")]),
            ("anomalies", ["method": .text("seasonal"), "period": .text("soon")]),
            ("anomalies", ["period": .number(60)]),
        ] as [(String, [String: AnalysisParameter])])
    func `invalid parameters are rejected by name`(
        name: String, parameters: [String: AnalysisParameter]
    ) {
        let error = #expect(throws: LAEError.self) { try Analysis(name, parameters) }
        #expect(error?.code == .invalidAnalysis)
        #expect(error?.message.hasPrefix("parameters: ") == true)
    }

    @Test(arguments: ["", "kmeans", "K-Means", String(repeating: "x", count: 10_000) + "\u{1B}[m"])
    func `an unknown analysis is rejected with the list of names`(name: String) {
        let error = #expect(throws: LAEError.self) { try Analysis(name) }
        #expect(error?.code == .unknownAnalysis)
        #expect(error?.hint?.contains("k-means") == true)
        #expect((error?.message.count ?? .max) < 120)
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test func `inputs must match the analysis`() throws {
        let x = try FieldReference(parsing: "a.x")
        let many = (0..<9).map { FieldReference(sensor: x.sensor, field: "f\($0)") }
        for (name, inputs) in [
            ("trend", []), ("trend", Array(many.prefix(2))), ("correlation", [x]),
            ("correlation", [x, x]), ("correlation", many),
        ] {
            let request = AnalysisRequest(try Analysis(name), of: inputs)
            let error = #expect(throws: LAEError.self) { try request.check() }
            #expect(error?.code == .invalidAnalysis, "\(name) \(inputs.count)")
        }
        for request in [
            AnalysisRequest(try Analysis("trend"), of: [x], every: .zero),
            AnalysisRequest(try Analysis("trend"), of: [x], every: .seconds(-1)),
            AnalysisRequest(try Analysis("trend"), of: [x], join: .last(within: .seconds(-1))),
            AnalysisRequest(try Analysis("spectrum"), of: [x]),
            AnalysisRequest(try Analysis("resample"), of: [x]),
        ] {
            let error = #expect(throws: LAEError.self) { try request.check() }
            #expect(error?.code == .invalidAnalysis)
        }
    }
}
