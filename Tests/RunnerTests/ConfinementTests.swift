import Foundation
import RunnerProtocol
import TestSupport
import Testing

@Suite(.blocking)
struct ConfinementTests {
    @Test func `a ready runner reports its layers, as the kernel does`() throws {
        let runner = try RunnerProcess()
        guard case .ready(let layers) = try runner.next() else {
            Issue.record("not ready")
            return
        }
        #expect(layers.contains("no_new_privs"))
        #expect(layers.contains("seccomp"))
        #expect(layers.contains { $0.hasPrefix("landlock ") })
        let status = try status(of: runner)
        #expect(status["Seccomp"] == "2")
        #expect(status["NoNewPrivs"] == "1")
        #expect(try #require(status["Threads"].flatMap { Int($0) }) <= 2)
        for set in ["CapEff", "CapPrm", "CapInh", "CapAmb"] {
            #expect(status[set] == "0000000000000000")
        }
    }

    @Test func `every thread is filtered, also those that the engine started before`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        let folder = "/proc/\(runner.process)/task"
        let threads = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!threads.isEmpty)
        for thread in threads {
            let status = try text(of: "\(folder)/\(thread)/status")
            #expect(status.contains("\nSeccomp:\t2\n"))
            #expect(status.contains("\nNoNewPrivs:\t1\n"))
            #expect(status.contains("\nCapEff:\t0000000000000000\n"))
        }
    }

    @Test func `the engine's open files are read-only`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        let folder = "/proc/\(runner.process)/fd"
        for number in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let target = try FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/\(number)")
            guard ["/dev/urandom", "/proc/\(runner.process)/statm"].contains(target) else {
                continue
            }
            let facts = try text(of: "/proc/\(runner.process)/fdinfo/\(number)")
            let flags = try #require(
                facts.split(separator: "\n").first { $0.hasPrefix("flags:") }?
                    .split(separator: "\t").last.flatMap { Int($0, radix: 8) })
            #expect(flags & 3 == 0, "\(target)")
        }
    }

    @Test func `the runner has no connection except the socket`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        let folder = "/proc/\(runner.process)/fd"
        let entries = try FileManager.default.contentsOfDirectory(atPath: folder)
        let open = try entries.map {
            ($0, try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))
        }
        for (number, target) in open where Int(number) ?? 0 > 3 {
            // What the engine keeps: its wake-up counter, random numbers, its own size.
            #expect(
                ["anon_inode:[eventfd]", "/dev/urandom", "/proc/\(runner.process)/statm"]
                    .contains(target), "\(number) is \(target)")
        }
        #expect(open.filter { $0.1.hasPrefix("socket:") }.map(\.0) == ["3"])
    }

    @Test func `no memory is writable and executable, and only files are executable`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        try runner.send(
            .load(
                name: "app.js",
                source: "let n = 0; for (let i = 0; i < 1e6; i++) n += i % 7;"
                    + "/(a|b)+c/.test('ababab'); setTimeout(() => {}, 1e6)"),
            .ping(1))
        #expect(try runner.next() == .pong(1))
        let maps = try text(of: "/proc/\(runner.process)/maps")
        #expect(maps.contains("javascriptcore"))
        // The kernel's vDSO.
        let kernels: [Substring] = ["[vdso]", "[vsyscall]"]
        for line in maps.split(separator: "\n") {
            let parts = line.split(separator: " ", omittingEmptySubsequences: true)
            guard parts[1].contains("x") else { continue }
            #expect(!parts[1].contains("w"), "\(line)")
            #expect(
                parts.count >= 6 && (parts[5].hasPrefix("/") || kernels.contains(parts[5])),
                "\(line)")
        }
    }

    @Test func `a runner without a sandbox reports no layer`() throws {
        let runner = try RunnerProcess(arguments: ["--insecure-no-sandbox"])
        #expect(try runner.next() == .ready(layers: []))
    }

    @Test func `an app cannot access files, processes or the network`() throws {
        let run = try PageRun(
            [
                "app.js": """
                for (const name of ["require", "process", "Deno", "Bun", "load", "read", "readFile",
                    "importScripts", "host", "$vm", "WebAssembly", "SharedArrayBuffer"]) {
                    if (typeof globalThis[name] !== "undefined") console.log(name);
                }
                import("/etc/passwd").catch(() => console.log("refused"));
                """
            ], runsPage: false)
        #expect(run.lines == ["refused"])
    }

    @Test(arguments: [
        "new Date().getTimezoneOffset(); String(new Date())",
        "new Date().toLocaleString('de-CH', { timeZone: 'Asia/Tokyo' })",
        "new Intl.Segmenter('th', { granularity: 'word' }).segment('x y').containing(0)",
        "new Intl.Collator('sv').compare('a', 'ö'); new Intl.PluralRules('ar').select(3)",
        "new Intl.DisplayNames('en', { type: 'region' }).of('CH')",
        "Intl.supportedValuesOf('timeZone').length; 'ß'.toLocaleUpperCase('de')",
        "eval('1'); new Function('return 1')(); new RegExp('\\\\p{L}', 'u').test('ä')",
        "crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-384' }, true, ['sign']).then(({ privateKey }) => crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-512' }, privateKey, new Uint8Array(1 << 20)))",
        "crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt']).then((key) => crypto.subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, key, new Uint8Array(4 << 20)))",
        "const a = []; for (let i = 0; i < 500000; i++) a[i % 1000] = { i }",
        "new WeakRef({}); new FinalizationRegistry(() => {}).register({}, 1)",
        "function* g() { yield 1 } [...g()]; (async () => { for await (const x of g()); })()",
    ])
    func `the language features work in the sandbox`(source: String) throws {
        let run = try RunOfApp(source)
        #expect(run.errors.map(\.message) == [])
        #expect(run.end == .exit(0))
    }

    private func status(of runner: RunnerProcess) throws -> [String: String] {
        var fields: [String: String] = [:]
        for line in try text(of: "/proc/\(runner.process)/status").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return fields
    }

    private func text(of path: String) throws -> String {
        // Such files have no size, and some are longer than one read.
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }
}
