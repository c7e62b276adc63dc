import RunnerProtocol
import TestSupport
import Testing

@Suite(.blocking)
struct UncaughtErrorTests {
    @Test func `an error with a long message is reported`() throws {
        let run = try RunOfApp("throw new Error(`\"id\": 1, `.repeat(50_000));")
        #expect(run.errors.first?.message.hasPrefix("Error: \"id\": 1, \"id\"") == true)
        #expect(run.end == .exit(1))
    }

    @Test(
        arguments: [
            ("var a = 1;\nfunction (", "SyntaxError: Function statements must have a name.", 2, 0),
            ("\n  missing()", "ReferenceError: Can't find variable: missing", 2, 10),
            ("let x;\nthrow new RangeError('far')", "RangeError: far", 2, 21),
            (
                "function f() {\n  null.x\n}\nf()",
                "TypeError: null is not an object (evaluating 'null.x')", 2, 7
            ),
            ("setTimeout(() => {\n  throw new Error('timer') })", "Error: timer", 2, 18),
            ("queueMicrotask(() => {\n  throw new Error('soon') })", "Error: soon", 2, 18),
            ("Promise.reject(new Error('lost'))", "Unhandled rejection: Error: lost", 1, 25),
            (
                "(async () => {\n  await 0; null.x })()",
                "Unhandled rejection: TypeError: null is not an object (evaluating 'null.x')", 2, 16
            ),
            ("new URL('nowhere')", "TypeError: 'nowhere' is not a valid URL", 1, 8),
            ("throw 'text'", "text", 0, 0),
            ("throw { a: 1 }", "{ a: 1 }", 0, 0),
        ] as [(String, String, UInt32, UInt32)])
    func `an error names its file, line and column`(
        source: String, message: String, line: UInt32, column: UInt32
    ) throws {
        let run = try RunOfApp(source) { frame, runner in
            // Without the library, a syntax error has no column.
            guard case .library(let id, .modules) = frame else { return }
            try runner.send(.failure(id: id, message: "not built"))
        }
        #expect(run.errors.count == 1)
        #expect(run.errors.first?.message == message)
        #expect(run.errors.first?.line == line)
        #expect(run.errors.first?.column == column)
        #expect(run.errors.first.map { $0.file == "app.js" || $0.line == 0 } == true)
        #expect(run.frames.last == .finished(code: 1))
        #expect(run.end == .exit(1))
    }

    @Test func `the run continues after an error in a callback`() throws {
        let run = try RunOfApp(
            "setTimeout(() => { throw new Error('one') });"
                + "setTimeout(() => console.log('two'), 1); throw new Error('zero')")
        #expect(run.errors.map(\.message) == ["Error: zero", "Error: one"])
        #expect(run.lines == ["two"])
        #expect(run.end == .exit(1))
    }

    @Test func `a stack trace contains only the app's calls`() throws {
        let run = try RunOfApp("function f() { fetchy() }\nsetTimeout(function g() { f() })")
        #expect(run.errors.first?.stack == "    at f (app.js:1:22)\n    at g (app.js:2:28)")
    }

    @Test func `a rejection that is handled in time is not reported`() throws {
        let run = try RunOfApp("const p = Promise.reject(1); p.catch(() => {})")
        #expect(run.errors.isEmpty)
        #expect(run.end == .exit(0))
    }

    @Test func `an error with misleading properties is still reported`() throws {
        let run = try RunOfApp(
            "const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { throw 1 } });"
                + "Object.defineProperty(e, 'message', { get() { throw 2 } }); throw e")
        #expect(run.errors.map(\.message) == ["Error"])
    }

    @Test func `endless recursion is reported as an error`() throws {
        let run = try RunOfApp("function f() { f() }\nf()")
        #expect(run.errors.map(\.message) == ["RangeError: Maximum call stack size exceeded."])
    }
}
