import Foundation
import TestSupport
import Testing

/// `docs/recipes.md`: its blocks are run, by the program that also runs those that need packages from PyPI.
@Suite(.blocking, .timeLimit(.minutes(10))) struct RecipeTests {
    /// The sections whose blocks need nothing but this program, curl and Python.
    private static let plain = ["A token", "curl", "Python", "Spreadsheets", "Grafana"]
    /// Those that integration tests run, with the name of each test.
    private static let integrations = ["Notebooks": "python", "WebSocket": "websockets"]

    private static func run(_ program: String, _ arguments: [String]) throws -> Invocation {
        var environment = ProcessInfo.processInfo.environment
        environment["NERVOUS"] = Binary.nervous
        environment["PYTHON"] = "/usr/bin/python3"
        return try Invocation(
            "/usr/bin/python3", ["\(Binary.repository)/\(program)"] + arguments,
            environment: environment, directory: Binary.repository)
    }

    @Test func `each block that needs no other packages works`() throws {
        let call = try Self.run("Tests/Recipes/run", Self.plain)
        #expect(call.code == 0, "\(call.output)\(call.errors)")
        for section in Self.plain {
            #expect(call.output.contains("recipes: \(section)\n"))
        }
    }

    @Test func `a test runs each section`() throws {
        let call = try Self.run("Tests/Recipes/run", ["--list"])
        let sections = Set(call.output.split(separator: "\n").map(String.init))
        #expect(sections == Set(Self.plain).union(Self.integrations.keys))
        for (section, name) in Self.integrations {
            let test = try String(
                contentsOfFile: "\(Binary.repository)/Tests/Integrations/\(name)/run",
                encoding: .utf8)
            #expect(test.contains("Tests/Recipes/run") && test.contains(section), "\(name)")
        }
    }

    @Test func `the Python client works without other packages`() throws {
        let call = try Self.run("clients/python/tests/smoke.py", [])
        #expect(call.code == 0, "\(call.output)\(call.errors)")
        #expect(call.output == "The Python client works.\n")
    }
}
