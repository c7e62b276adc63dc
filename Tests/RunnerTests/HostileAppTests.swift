import Glibc
import RunnerProtocol
import TestSupport
import Testing

@Suite(.blocking, .serialized)
struct HostileAppTests {
    @Test(arguments: [
        "const a = []; for (;;) a.push(new Array(1000).fill(1))",
        "const a = []; for (let i = 0; ; i++) a.push({ i })",
        "const a = []; for (let i = 0; ; i++) a.push('x'.repeat(1000) + i)",
        "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))",
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })",
        "const a = []; for (let i = 0; ; i++) a.push(() => i)",
        "const a = []; const s = 'x'.repeat(1 << 20); for (;;) a.push(new TextEncoder().encode(s))",
        "JSON.parse('['.repeat(1e7))",
        "const a = []; for (;;) { try { a.push(new Uint8Array(4 << 20).fill(1)) } catch { a.push([...'x'.repeat(1e5)]) } }",
    ])
    func `an app that exhausts memory ends only its own process`(source: String) throws {
        let run = try RunOfApp(source)
        #expect(run.end != .exit(0))
        #expect(run.end != .signal(SIGSYS))
        #expect(run.peak < 190 << 20, "peak \(run.peak >> 20) MiB")
    }

    @Test func `an endless loop does not answer a ping and can be killed`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        try runner.send(.load(name: "app.js", source: "for (;;) {}"), .ping(1))
        #expect(runner.isSilent(for: 300))
        kill(runner.process, SIGKILL)
        #expect(try runner.end() == .signal(SIGKILL))
    }

    @Test func `changed prototypes do not break calls to the host`() throws {
        let run = try RunOfApp(
            """
            const no = () => { throw new Error("spoilt") };
            const trap = { __proto__: null, get: no, set: no, configurable: true };
            const { defineProperty, prototype: all } = Object;
            for (const type of [Array, String, Map, Set, RegExp, Function, Promise, Uint8Array,
                Object.getPrototypeOf(Uint8Array)]) {
                for (const key of Object.getOwnPropertyNames(type.prototype)) {
                    if (key !== "constructor" && typeof key === "string") {
                        try { type.prototype[key] = no } catch { }
                    }
                }
            }
            Array.prototype[Symbol.iterator] = String.prototype[Symbol.iterator] = no;
            JSON.stringify = JSON.parse = Reflect.apply = Reflect.ownKeys = no;
            Object.defineProperty = Object.keys = Object.getPrototypeOf = no;
            Promise.resolve = Promise.all = no;
            defineProperty(Array.prototype, "0", trap);
            defineProperty(all, "get", trap);
            defineProperty(all, "set", trap);
            defineProperty(all, "value", trap);
            defineProperty(all, "writable", trap);
            defineProperty(all, "enumerable", trap);
            defineProperty(all, "line", trap);
            globalThis.Error = globalThis.Array = globalThis.Promise = globalThis.Object = 0;
            console.log("shown", { a: [1, { b: 2 }] }, new Map());
            setTimeout((a, b) => { console.log("timer", a, b); null.x }, 1, "A", "B");
            (async () => {
                const answer = await fetch("/x", { method: "POST", body: "q" });
                console.log(await answer.text());
            })();
            """
        ) { frame, runner in
            guard case .request(let id, let method, let target, _, let body) = frame else { return }
            #expect(method == "POST")
            #expect(target == "http://localhost/x")
            #expect(body == Array("q".utf8))
            try runner.send(
                .response(id: id, status: 200, headers: []), .body(id: id, bytes: [65]),
                .body(id: id, bytes: [66]), .end(id: id))
        }
        #expect(Set(run.lines) == ["shown { a: [ 1, { b: 2 } ] } Map(0) {}", "timer A B", "AB"])
        #expect(run.errors.map(\.line) == [25])
        #expect(run.end == .exit(1))
    }

    @Test(arguments: [
        "const o = { toString() { throw 1 }, valueOf() { throw 2 } }; setTimeout(() => {}, o)",
        "fetch({ toString() { throw new Error('no') } })",
        "fetch('/', { get method() { throw new Error('no') } })",
        "console.log({ get a() { throw 1 } }); console.log(new Proxy(function () {}, { get() { throw 1 }, getPrototypeOf() { throw 2 } }))",
    ])
    func `arguments that throw when read affect only their call`(source: String) throws {
        let run = try RunOfApp("setTimeout(() => console.log('alive'));" + source)
        #expect(run.lines.last == "alive")
    }

    @Test func `a flood of lines arrives completely`() throws {
        let run = try RunOfApp("for (let i = 0; i < 20000; i++) console.log(i)")
        #expect(run.lines.count == 20_000)
        #expect(run.lines.last == "19999")
    }
}
