import Foundation
import RunnerProtocol
import Synchronization
import TestSupport
import Testing

/// `indexedDB` with a host that the test simulates.
@Suite(.blocking)
struct IndexedDBTests {
    /// Keeps items as the real host does, and counts the calls.
    private final class FakeHost: Sendable {
        private struct State {
            var items: [String: String] = [:]
            var calls: [String] = []
            var sizes: [Int] = []
            var failures: [Int: UInt16] = [:]
        }
        private struct Changes: Decodable {
            let expected: [[String?]]
            let changes: [[String?]]
        }

        private let state = Mutex(State())

        var items: [String: String] { state.withLock { $0.items } }
        /// The methods of the calls.
        var calls: [String] { state.withLock { $0.calls } }
        /// The sizes of the bodies.
        var sizes: [Int] { state.withLock { $0.sizes } }

        /// Answers the change with this number, counted from 0, with a status and without effect.
        func fail(_ number: Int, _ status: UInt16) {
            state.withLock { state in
                state.failures[state.calls.count { $0 == "PATCH" } + number] = status
            }
        }

        func answer(_ frame: RunnerFrame, _ runner: RunnerProcess) throws {
            guard case .request(let id, let method, let target, _, let body) = frame else { return }
            let (status, json) = try state.withLock { try Self.answer(&$0, method, target, body) }
            let bytes = Array(try JSONSerialization.data(withJSONObject: json))
            let pieces = stride(from: 0, to: bytes.count, by: FrameLimits.bodyPiece).map { start in
                HostFrame.body(
                    id: id,
                    bytes: Array(bytes[start..<min(bytes.count, start + FrameLimits.bodyPiece)]))
            }
            let frames = [.response(id: id, status: status, headers: [])] + pieces + [.end(id: id)]
            try runner.send(bytes: frames.flatMap { $0.encoded() })
        }

        private static func answer(
            _ state: inout State, _ method: String, _ target: String, _ body: [UInt8]
        ) throws -> (UInt16, [String: Any]) {
            let usage: [String: Any] = ["used": 0, "limit": 10 << 20]
            let number = state.calls.count { $0 == "PATCH" }
            state.calls.append(method)
            state.sizes.append(body.count)
            guard method == "PATCH" else {
                let query = URLComponents(string: target)?.queryItems ?? []
                let prefix = query.first { $0.name == "prefix" }?.value ?? ""
                let after = query.first { $0.name == "after" }?.value ?? ""
                let keys = state.items.keys.sorted().filter { $0.hasPrefix(prefix) && $0 > after }
                // Few at once, so that every test reads several answers.
                let items = keys.prefix(3).map { [$0, state.items[$0] ?? ""] }
                return (200, usage.merging(["items": items, "more": keys.count > 3]) { $1 })
            }
            if let status = state.failures[number] { return (status, ["detail": "It failed."]) }
            let wanted = try JSONDecoder().decode(Changes.self, from: Data(body))
            for pair in wanted.expected where state.items[pair[0] ?? ""] != pair[1] {
                return (409, ["detail": "It was changed."])
            }
            for pair in wanted.changes { state.items[pair[0] ?? ""] = pair[1] }
            return (200, usage)
        }
    }

    private static let library = """
        const done = (request) => new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
        const ended = (transaction) => new Promise((resolve, reject) => {
          transaction.oncomplete = resolve;
          transaction.onabort = () => reject(transaction.error);
        });
        const open = (name, version, upgrade) => {
          const request = indexedDB.open(name, version);
          request.onupgradeneeded = () => upgrade(request.result);
          return done(request);
        };
        const write = (db, body) => {
          const transaction = db.transaction([...db.objectStoreNames], "readwrite");
          body(transaction.objectStore("s"), transaction);
          return ended(transaction);
        };
        const read = (db) => db.transaction("s").objectStore("s");
        const start = () => open("a", 1, (db) => db.createObjectStore("s"));
        """

    private func run(_ source: String, _ host: FakeHost) throws -> [String] {
        let run = try RunOfApp("\(Self.library); (async () => { \(source) })();") {
            try host.answer($0, $1)
        }
        #expect(run.errors.isEmpty)
        #expect(run.end == .exit(run.errors.isEmpty ? 0 : 1))
        return run.lines
    }

    @Test func `values, keys and indexes of every kind are there in the next run`() throws {
        let host = FakeHost()
        let first = """
            const db = await open("ä\\ud800", 3, (db) => {
              const store = db.createObjectStore("s", { keyPath: "id", autoIncrement: true });
              store.createIndex("n", "n");
              store.createIndex("tags", "tags", { multiEntry: true });
              db.createObjectStore("free");
            });
            const value = {
              u: undefined, d: new Date(5), r: /a/g, m: new Map([[{ k: 1 }, new Set([1n])]]), z: -0, w: [, 1],
              b: new Uint8Array([1, 2, 255]).subarray(1), e: new RangeError("no"), f: new File(["hi"], "x.txt"),
              i: Infinity, ["__proto__"]: 1, t: "\\ud800\\n\\"\\uffff",
            };
            value.self = value;
            await write(db, (store, transaction) => {
              for (let i = 0; i < 2000; i++) store.add({ n: `x${i % 7}`, tags: ["a", i] });
              transaction.objectStore("free").put(value, [new Date(7), "k\\0\\1", new Uint8Array([3]), -Infinity, [1.5]]);
            });
            """
        #expect(try run(first, host).isEmpty)
        let second = """
            const [{ name, version }] = await indexedDB.databases();
            const db = await open(name);
            console.log(version, db.version, [...db.objectStoreNames].join());
            const store = read(db);
            console.log(await done(store.count()), await done(store.index("n").count("x3")));
            console.log(await done(store.index("tags").getKey(1999)), await done(store.index("tags").count("a")));
            const free = db.transaction("free").objectStore("free");
            const [key] = await done(free.getAllKeys()), value = await done(free.get(key));
            console.log(key[0].getTime(), JSON.stringify(key[1]), new Uint8Array(key[2])[0], key[3], key[4][0]);
            console.log("u" in value, value.d.getTime(), value.r, [...[...value.m][0][1]][0], Object.is(value.z, -0));
            console.log(0 in value.w, value.b.byteOffset, value.b.buffer.byteLength, value.e instanceof RangeError);
            console.log(value.f.name, await value.f.text(), value.i, Object.hasOwn(value, "__proto__"));
            console.log(JSON.stringify(value.t), value.self === value);
            await write(db, (store) => store.add({ n: "later" }));
            console.log(await done(read(db).index("n").getKey("later")));
            """
        #expect(
            try run(second, host) == [
                "3 3 free,s", "2000 286", "2000 2000", #"7 "k\u0000\u0001" 3 -Infinity 1.5"#,
                "true 5 /a/g 1n true", "false 1 3 true", "x.txt hi Infinity true",
                #""\ud800\n\"\#u{ffff}" true"#, "2001",
            ])
    }

    @Test func `an aborted transaction leaves nothing, and one of a few records sends a few pages`()
        throws
    {
        let host = FakeHost()
        _ = try run(
            """
            const db = await start();
            await write(db, (store) => { for (let i = 0; i < 5000; i++) store.put({ text: "x".repeat(100) }, i); });
            """, host)
        let before = host.items
        let lines = try run(
            """
            const db = await start();
            await write(db, (store, transaction) => { store.clear(); store.put(1, "a"); transaction.abort(); })
              .catch((error) => console.log(error));
            console.log(await done(read(db).count()));
            """, host)
        #expect(lines == ["null", "5000"])
        #expect(host.items == before)
        let count = host.sizes.count
        _ = try run(
            "const db = await start(); await write(db, (store) => { store.put('y', 17); store.delete(18); });",
            host)
        #expect(host.sizes[count...].reduce(0, +) < 40_000)
        #expect(try run("console.log(await done(read(await start()).count()))", host) == ["4999"])
    }

    @Test func `a commit larger than a call is atomic, also when it is interrupted`() throws {
        let host = FakeHost()
        _ = try run("await write(await start(), (store) => { store.put('old', 0); });", host)
        let before = host.items
        let large = """
            const db = await start();
            await write(db, (store) => { for (let i = 0; i < 4; i++) store.put("\\u20ac".repeat(300000), i); })
              .catch((error) => console.log(error.name));
            console.log((await done(read(db).get(0))).length);
            """
        host.fail(2, 500)
        #expect(try run(large, host) == ["UnknownError", "3"])
        // What was written before the failure is there, but no root names it.
        #expect(host.items.count > before.count)
        #expect(before.allSatisfy { host.items[$0.key] == $0.value })
        #expect(
            try run(
                """
                const db = await start();
                console.log(await done(read(db).get(0)), await done(read(db).count()));
                await write(db, (store) => { store.put("new", 0); });
                """, host) == ["old 1"])
        #expect(host.items.count == before.count)
        #expect(try run(large, host) == ["300000"])
        #expect(host.sizes.allSatisfy { $0 <= FrameLimits.body })
        #expect(
            try run("console.log((await done(read(await start()).get(3))).length)", host) == [
                "300000"
            ])
    }

    @Test func `after a change of another run a transaction is aborted, and the next one succeeds`()
        throws
    {
        let host = FakeHost()
        _ = try run("await write(await start(), (store) => { store.put('theirs', 0); });", host)
        host.fail(0, 409)
        let lines = try run(
            """
            const db = await start();
            const put = () => write(db, (store) => { store.put("mine", 1); });
            await put().catch((error) => console.log(error.name));
            console.log(await done(read(db).count()));
            await put();
            console.log(await done(read(db).getAll()));
            """, host)
        #expect(lines.first == "AbortError")
        #expect(lines[1] == "1")
        #expect(lines.last?.contains("theirs") == true && lines.last?.contains("mine") == true)
    }

    @Test func `without storage at the host, databases are kept for the run, with one warning`()
        throws
    {
        let run = try RunOfApp(
            """
            \(Self.library); (async () => {
              const db = await start();
              await write(db, (store) => { store.put(1, 1); });
              await write(db, (store) => { store.put(2, 2); });
              console.log(await done(read(db).count()));
            })();
            """
        ) { frame, runner in
            guard case .request(let id, _, _, _, _) = frame else { return }
            let body = Array(#"{"detail": "You have denied storage to my-app."}"#.utf8)
            let answer: [HostFrame] = [
                .response(id: id, status: 403, headers: []), .body(id: id, bytes: body),
                .end(id: id),
            ]
            try runner.send(bytes: answer.flatMap { $0.encoded() })
        }
        #expect(
            run.lines == [
                "indexedDB is kept for this run only: You have denied storage to my-app.", "2",
            ])
    }

    @Test func `changed built-ins affect neither what is saved nor what is read`() throws {
        let host = FakeHost()
        let spoil = """
            const db = await start();
            for (const type of [Object, Array, String, Number, Map, Date, Promise]) {
              Object.defineProperty(type.prototype, "toJSON", { __proto__: null, value: () => "spoilt", configurable: true });
            }
            for (const name of [0, 1, 2, "key", "value", "id", "then_"]) {
              Object.defineProperty(Object.prototype, name, { __proto__: null, set() { throw name }, get() { return undefined }, configurable: true });
            }
            Array.prototype.splice = Array.prototype.join = JSON.stringify = JSON.parse = Map.prototype.get = () => { throw 1 };
            """
        _ = try run(
            "\(spoil) await write(db, (store) => { store.put({ id: [1, { value: 'x' }] }, [0, 'k']); });",
            host)
        let lines = try run(
            "\(spoil) const found = await done(read(db).get([0, 'k'])); console.log(found.id.length, found.id[1].value);",
            host)
        #expect(lines == ["2 x"])
    }

    @Test func `nothing of the runner reaches the app through the interfaces`() throws {
        let host = FakeHost()
        let lines = try run(
            """
            const seen = [];
            for (const type of [IDBOpenDBRequest, IDBRequest, IDBCursorWithValue, IDBVersionChangeEvent, IDBTransaction, IDBDatabase]) {
              const base = Object.getPrototypeOf(type);
              Object.setPrototypeOf(type, class extends base { constructor(...list) { super(...list); seen.push(...list); } });
            }
            const db = await start();
            await write(db, (store) => {
              store.put(1, 1);
              store.openCursor();
            });
            console.log(seen.filter((one) => typeof one === "string").join(),
              seen.some((one) => typeof one === "function" || one && (one.tx || one.database || one.store || one.queue)));
            for (const type of [IDBRequest, IDBOpenDBRequest, IDBFactory, IDBDatabase, IDBTransaction, IDBObjectStore,
              IDBIndex, IDBCursor, IDBKeyRange, DOMStringList]) {
              try { new type(); console.log("made", type.name); } catch (error) { if (!(error instanceof TypeError)) console.log(error); }
              for (const name of Object.getOwnPropertyNames(type)) {
                if (!["length", "name", "prototype", "only", "bound", "lowerBound", "upperBound"].includes(name)) console.log(type.name, name);
              }
            }
            """, host)
        #expect(lines == ["upgradeneeded false"])
    }

    @Test func `keys, entries and sizes are bounded, and a refused request changes nothing`() throws
    {
        let lines = try run(
            """
            const report = (body) => { try { body(); } catch (error) { console.log(error.name); } };
            report(() => indexedDB.cmp("k".repeat(70000), 1));
            report(() => indexedDB.cmp(new Uint8Array(70000), 1));
            let deep = []; for (let i = 0; i < 5000; i++) deep = [deep];
            report(() => indexedDB.cmp(deep, 1));
            const db = await open("a", 1, (db) => db.createObjectStore("s").createIndex("i", "i", { unique: true }));
            let refused = 0, name;
            for (let batch = 0; batch < 6; batch++) {
              await write(db, (store, transaction) => {
                transaction.onerror = (event) => { refused++; name = event.target.error.name; event.preventDefault(); };
                for (let i = 0; i < 5000; i++) store.put({ i: batch * 5000 + i }, batch * 5000 + i);
              });
            }
            console.log(refused, name, await done(read(db).count()), await done(read(db).index("i").count()));
            await write(db, (store) => { store.clear(); });
            await write(db, (store) => {
              for (let i = 0; i < 12; i++) store.put("x".repeat(1 << 20), i).onerror = (event) => { console.log(event.target.error.name); event.preventDefault(); };
            });
            console.log(await done(read(db).count()));
            await write(db, (store) => {
              store.put({ i: "one" }, "a");
              store.put({ i: "two" }, "b");
              store.put({ i: "one" }, "b").onerror = (event) => { console.log(event.target.error.name); event.preventDefault(); };
            });
            console.log((await done(read(db).get("b"))).i, await done(read(db).index("i").getKey("two")));
            """, FakeHost())
        #expect(
            lines == [
                "DataError", "DataError", "DataError", "5000 QuotaExceededError 25000 25000",
                "QuotaExceededError", "QuotaExceededError", "QuotaExceededError", "9",
                "ConstraintError", "two b",
            ])
    }

    @Test
    func `an exception of a listener aborts the transaction, and that of an upgrade the opening`()
        throws
    {
        let host = FakeHost()
        let run = try RunOfApp(
            """
            \(Self.library); (async () => {
              addEventListener("error", (event) => event.preventDefault());
              const failed = indexedDB.open("b", 1);
              failed.onupgradeneeded = () => { failed.result.createObjectStore("s"); throw new Error("no"); };
              await done(failed).catch((error) => console.log(error.name));
              console.log((await indexedDB.databases()).length);
              const db = await start();
              await write(db, (store) => { store.put(1, 1).onsuccess = () => { throw new Error("no"); }; })
                .catch((error) => console.log(error.name));
              console.log(await done(read(db).count()));
            })();
            """
        ) { try host.answer($0, $1) }
        #expect(run.lines == ["AbortError", "0", "AbortError", "0"])
    }
}
