import Glibc
import RunnerProtocol
import TestSupport
import Testing

/// Hostile pages end without affecting others.
@Suite(.blocking, .serialized)
struct HostilePageTests {
    @Test(arguments: [
        "for (;;) document.body.appendChild(document.createElement('div')).textContent = 'x'.repeat(100)",
        "let s = '<div>'.repeat(1000); for (;;) { document.body.innerHTML += s; s += s }",
        "for (let at = document.body;;) at = at.appendChild(document.createElement('div'))",
        "for (;;) document.write('<p>x')",
        "const f = () => { document.body.append('x'.repeat(1e6)); queueMicrotask(f) }; f()",
        "for (;;) localStorage.setItem('a' + Math.random(), 'x'.repeat(1e5))",
    ])
    func `a page that exhausts memory ends only its own process`(source: String) throws {
        let run = try PageRun(["app.html": "<body><script>\(source)</script>"])
        #expect(run.run.end != .signal(SIGSYS))
        #expect(run.run.peak < 190 << 20, "peak \(run.run.peak >> 20) MiB")
    }

    @Test(arguments: [
        "addEventListener('load', () => { for (;;); })",
        "document.addEventListener('DOMContentLoaded', () => { for (;;); })",
        "Object.defineProperty(document.body, 'firstChild', { get() { for (;;); } })",
        "document.body.innerHTML = '<b>x</b>'.repeat(1e4); for (;;) document.body.innerText",
    ])
    func `an endless page is ended at the limit of its turn`(source: String)
        throws
    {
        let runner = try RunnerProcess()
        _ = try runner.next()
        try runner.send(.limits(wall: 3_000, cpu: 2_000), .present(text: true, markup: true))
        try runner.send(.page(name: "app.html"), .loaded)
        while let frame = try runner.next() {
            switch frame {
            case .request(let id, _, _, _, _):
                let page = Array("<body><p>x<script>\(source)</script>".utf8)
                try runner.send(
                    .response(id: id, status: 200, headers: []), .body(id: id, bytes: page),
                    .end(id: id))
            case .library(let id, let library):
                let text = Array(try PageRun.text(of: library).utf8)
                try runner.send(.response(id: id, status: 200, headers: []))
                try runner.send(.body(id: id, bytes: text), .end(id: id))
            default: break
            }
        }
        #expect(try [.exit(RunnerExit.turn), .exit(RunnerExit.turnCPU)].contains(runner.end()))
    }

    @Test func `a page that breaks the built-ins affects only itself and is reported`() throws {
        let run = try PageRun([
            "app.html": """
            <p>before</p><script>
            const no = () => { throw new Error("spoilt") };
            for (const type of [Array, String, Map, Set, RegExp, Function, Promise, WeakMap]) {
                for (const key of Object.getOwnPropertyNames(type.prototype)) {
                    if (key !== "constructor") try { type.prototype[key] = no } catch { }
                }
            }
            Object.defineProperty = Object.keys = Object.create = no;
            console.log("spoilt", { a: [1] });
            setTimeout(() => console.log("timer"));
            fetch("/x").then((answer) => console.log(answer.status));
            </script><p>after</p>
            """
        ])
        #expect(run.lines.first == "spoilt { a: [ 1 ] }")
        #expect(run.run.end == .exit(1))
        #expect(run.errors.contains { $0.message.contains("spoilt") })
    }

    @Test func `during an endless request the process responds and can be ended`()
        throws
    {
        let (runner, id) = try RunnerProcess.inSynchronousRequest()
        // An endless stream.
        try runner.send(.response(id: id, status: 200, headers: []))
        for number in 1...20 as ClosedRange<UInt32> {
            try runner.send(.body(id: id, bytes: [1]), .ping(number))
            #expect(try runner.next() == .pong(number))
        }
        kill(runner.process, SIGKILL)
        #expect(try runner.end() == .signal(SIGKILL))
    }
}
