import AppRuns
import Auth
import Foundation
import Testing

/// Real apps in real processes that store values from one run to the next.
@Suite(.timeLimit(.minutes(10)))
struct StoringAppTests {
    private static func installed(_ host: ServedHost, isAllowed: Bool = true) async throws {
        try await host.install("demo", privileges: #"[{"storage": true}]"#)
        if isAllowed { try await host.decide(.allowAlways, "storage", by: "demo") }
    }

    /// Runs a script as the next version of the app.
    private static func run(_ script: String, _ host: ServedHost) async throws -> [String] {
        let bytes = try TestPackage.bytes(
            "demo", privileges: #"[{"storage": true}]"#, script: script, in: host.folder)
        _ = try await host.send(Call("POST", "/api/v1/apps", token: host.owner, body: bytes))
        let lines = Lines()
        let run = try await host.supervisor.prepare(app: "demo").id
        _ = try await host.supervisor.run(run) { lines.take($0) }
        return lines.all
    }

    @Test func `nervous.storage keeps values, and its errors have W3C names`() async throws {
        let script = """
            const { storage } = nervous;
            const report = async (work) => {
              try { console.log(JSON.stringify(await work())); }
              catch (error) { console.log(error.name, error.problem, error.limit); }
            };
            (async () => {
              await report(() => storage.get("a"));
              await storage.set("a", { list: [1, null, "ä"] });
              await storage.set("../b", null);
              await report(() => storage.get("a"));
              await report(() => storage.get("../b"));
              await report(() => storage.keys());
              await report(() => storage.usage());
              await report(() => storage.set("big", "x".repeat((1 << 20) - 1)));
              for (const key of ["", ".", ".."]) await report(() => storage.remove(key));
              await report(() => storage.set("f", undefined));
              for (let i = 0; i < 10; i++) await report(() => storage.set(`m${i}`, "x".repeat(1048000)));
              await storage.remove("a");
              await report(() => storage.get("a"));
              await storage.clear();
              await report(() => storage.usage());
            })();
            """
        try await ServedHost.with { host in
            try await Self.installed(host)
            let lines = try await Self.run(script, host)
            let kept = [
                "undefined", #"{"list":[1,null,"ä"]}"#, "null", #"["../b","a"]"#,
                #"{"used":31,"limit":10485760}"#,
                "QuotaExceededError undefined undefined",
            ]
            let keys = [String](repeating: "DataError undefined undefined", count: 4)
            let filled = [String](repeating: "undefined", count: 10)
            #expect(
                lines == kept + keys + filled + ["undefined", #"{"used":0,"limit":10485760}"#])
        }
    }

    @Test func `an app without permission for storage gets an error`() async throws {
        try await ServedHost.with { host in
            try await Self.installed(host, isAllowed: false)
            let lines = try await Self.run(
                """
                nervous.storage.get("a").catch((e) => console.log(e.name, e.privilege, e.problem));
                """, host)
            #expect(lines == ["NotAllowedError storage undecided"])
        }
    }

    @Test func `localStorage keeps any text for the next run`() async throws {
        let first = """
            console.log(localStorage.length);
            localStorage.setItem("a", "1");
            localStorage.b = "\\u0000\\ud800 \\uffff \\udc00\\ud83d\\ude00 \\"'\\\\";
            localStorage[""] = "empty";
            localStorage.setItem("zalgo", "a" + "\\u0301".repeat(100));
            localStorage.setItem("gone", "x");
            delete localStorage.gone;
            setTimeout(() => { localStorage.setItem("later", "2"); nervous.exit(3); }, 1);
            """
        let second = """
            console.log(Object.keys(localStorage).sort().map((key) => JSON.stringify(key)).join());
            console.log(localStorage.a, localStorage.later, localStorage.getItem("gone"));
            console.log(localStorage.b === "\\u0000\\ud800 \\uffff \\udc00\\ud83d\\ude00 \\"'\\\\");
            console.log(localStorage.zalgo.length, localStorage[""]);
            localStorage.clear();
            localStorage.setItem("only", "3");
            """
        try await ServedHost.with { host in
            try await Self.installed(host)
            #expect(try await Self.run(first, host) == ["0"])
            #expect(
                try await Self.run(second, host) == [
                    #""","a","b","later","zalgo""#, "1 2 null", "true", "101 empty",
                ])
            #expect(
                try await Self.run("console.log(JSON.stringify(localStorage))", host)
                    == [#"{"only":"3"}"#])
            // The two areas share only their limit.
            let keys = "nervous.storage.keys().then((k) => console.log(k.length))"
            #expect(try await Self.run(keys, host) == ["0"])
        }
    }

    @Test func `localStorage is full if nervous.storage uses all of the limit`() async throws {
        let script = """
            (async () => {
              const text = "x".repeat(1000000);
              for (let i = 0; i < 10; i++) await nervous.storage.set(`${i}`, text);
              try { localStorage.setItem("a", text); } catch (error) { console.log(error.name); }
              console.log(localStorage.getItem("a"));
              localStorage.setItem("b", "small");
              await nervous.storage.clear();
              localStorage.setItem("a", text);
              console.log(localStorage.a.length);
            })();
            """
        try await ServedHost.with { host in
            try await Self.installed(host)
            #expect(
                try await Self.run(script, host) == ["QuotaExceededError", "null", "1000000"])
            #expect(
                try await Self.run("console.log(localStorage.length, localStorage.b)", host)
                    == ["2 small"])
        }
    }

    @Test func `indexedDB keeps its records for the next run, within the same limit`() async throws
    {
        let library = """
            const open = () => new Promise((resolve) => {
              const request = indexedDB.open("notes", 1);
              request.onupgradeneeded = () => request.result.createObjectStore("s").createIndex("n", "n");
              request.onsuccess = () => resolve(request.result);
            });
            const put = (db, values) => new Promise((resolve) => {
              const transaction = db.transaction("s", "readwrite"), store = transaction.objectStore("s");
              for (const [key, value] of Object.entries(values)) store.put(value, key);
              transaction.oncomplete = () => resolve("complete");
              transaction.onabort = () => resolve(transaction.error.name);
            });
            const get = (db, key) => new Promise((resolve) => {
              const request = db.transaction("s").objectStore("s").get(key);
              request.onsuccess = () => resolve(request.result);
            });
            """
        let first = """
            \(library);
            (async () => {
              const db = await open();
              console.log(await put(db, { a: { n: 1, at: new Date(5) }, long: "ä".repeat(1500000) }));
              for (let i = 0; i < 7; i++) await nervous.storage.set(`m${i}`, "x".repeat(1000000));
              console.log(await put(db, { a: 2, more: "y".repeat(900000) }));
            })();
            """
        let second = """
            \(library);
            (async () => {
              const db = await open(), { used } = await nervous.storage.usage();
              console.log((await get(db, "a")).at.getTime(), (await get(db, "long")).length, await get(db, "more"));
              console.log(used > 10000000, (await nervous.storage.keys()).length, localStorage.length);
              console.log(await put(db, { long: 1, more: "y".repeat(700000) }));
            })();
            """
        try await ServedHost.with { host in
            try await Self.installed(host)
            #expect(try await Self.run(first, host) == ["complete", "QuotaExceededError"])
            #expect(
                try await Self.run(second, host) == ["5 1500000 undefined", "true 7 0", "complete"])
            // Forgetting the app removes the records.
            try await host.authority.forget(client: "demo")
            _ = try await Self.run("", host)
            try await host.decide(.allowAlways, "storage", by: "demo")
            let count = "indexedDB.databases().then((list) => console.log(list.length))"
            #expect(try await Self.run(count, host) == ["0"])
        }
    }

    @Test func `without permission localStorage lasts for the run, with one warning`()
        async throws
    {
        let script = """
            console.log(localStorage.getItem("a"));
            localStorage.setItem("a", "1");
            localStorage.setItem("b", "2");
            console.log(localStorage.a, localStorage.length);
            """
        try await ServedHost.with { host in
            try await Self.installed(host, isAllowed: false)
            for _ in 1...2 {
                #expect(
                    try await Self.run(script, host) == [
                        "null",
                        "localStorage is kept for this run only: demo has no permission for storage.",
                        "1 2",
                    ])
            }
        }
    }

    @Test func `values of a completed turn are kept when the app is killed in the next`()
        async throws
    {
        let script = """
            localStorage.setItem("first", "kept");
            setTimeout(() => { localStorage.setItem("second", "lost"); for (;;); }, 1);
            """
        var budget = RunBudget()
        budget.turnCPU = .seconds(1)
        let chosen = budget
        try await ServedHost.with(budget: { _ in chosen }) { host in
            try await Self.installed(host)
            _ = try await Self.run(script, host)
            #expect(
                try await Self.run("console.log(JSON.stringify(localStorage))", host)
                    == [#"{"first":"kept"}"#])
        }
    }

    @Test func `a loop that sets one key causes one call per turn`() async throws {
        let script = """
            for (let i = 0; i < 20000; i++) localStorage.setItem("count", i);
            console.log(localStorage.count);
            """
        try await ServedHost.with { host in
            try await Self.installed(host)
            #expect(try await Self.run(script, host) == ["19999"])
            let run = try #require(await host.supervisor.lastRun(of: "demo"))
            #expect(run.usage.calls == 2)
        }
    }
}
