import AppStorage
import Auth
import Glibc

// Writes entries of the access log, with `seal` moving its key after each, or with `storage` two keys at
// once, and prints the number of each acknowledged write, until a test kills it.

func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// Stores increasing numbers, each under two keys.
func store(_ authority: Authority) async throws {
    try await authority.admit(
        DeclaredApp(name: "keeper", identity: "1", privileges: [Privilege(.storage, reason: "")]))
    let (_, token) = try await authority.beginRun(of: "keeper")
    let client = try await authority.identify(token: token.text, name: nil)
    let storage = try await authority.storage(of: client)
    let keys = [try StorageKey("a"), try StorageKey("b")]
    let last = try await storage.value(of: keys[0])
    var number = last.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
    while true {
        number += 1
        let value = StoredValue(type: "text/plain", bytes: Array(String(number).utf8))
        try await storage.apply(keys.map { StorageChange($0, value) })
        report("\(number)")
    }
}

let arguments = CommandLine.arguments
let isStoring = arguments.count == 3 && arguments[2] == "storage"
let movesKey = arguments.count == 3 && arguments[2] == "seal"
guard arguments.count == 2 || isStoring || movesKey else {
    report("usage: log-writer FILE [storage | seal]")
    exit(64)
}
do {
    let authority = try await Authority(path: arguments[1])
    report("open")
    if isStoring { try await store(authority) }
    while true {
        await authority.log.note(.installed("app", version: "1.0.0"))
        report("\(try await authority.log.head().id)")
        if movesKey { await authority.log.storeKey() }
    }
} catch {
    report("error \(error)")
    exit(1)
}
