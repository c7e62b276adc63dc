/// Calls of the storage of apps and programs.
extension Exercise {
    static func appStorage(by token: String, owner: String) -> [Exercise] {
        func call(
            _ operation: String, _ status: Int, _ method: String, _ target: String,
            token caller: String? = nil, json: String? = nil, body: [UInt8]? = nil
        ) -> Exercise {
            Exercise(
                operation, status,
                Call(method, "/api/v1" + target, token: caller ?? token, json: json, body: body))
        }
        let mebibyte = [UInt8](repeating: 120, count: 1 << 20)
        let filling = (0..<9).map {
            call("setStoredValue", 204, "PUT", "/storage/\($0)", body: mebibyte)
        }
        let (all, one, local) = ("/storage", "/storage/a", "/local-storage")
        let indexed = "/indexed-db"
        let change = #"{"expected": [["data/1", null]], "changes": [["data/1", "a"]]}"#
        let wide = #"[["b", ""# + String(repeating: "x", count: 1 << 20) + #""]]"#
        let half = #"[["b", ""# + String(repeating: "x", count: 600_000) + #""]]"#
        let other = half.replacing("\"b\"", with: "\"c\"")
        return [
            call("setStoredValue", 204, "PUT", one, json: #"{"a": [1, null]}"#),
            call("storedValue", 200, "GET", one), call("storedValue", 404, "GET", "/storage/none"),
            call("storedValue", 400, "GET", "/storage/%ff"),
            call("setStoredValue", 400, "PUT", "/storage/%ff", json: "1"),
            call("setStoredValue", 404, "PUT", one, token: owner, json: "1"),
            call("setStoredValue", 413, "PUT", one, body: mebibyte + [120]),
            call("removeStoredValue", 204, "DELETE", "/storage/b"),
            call("removeStoredValue", 400, "DELETE", "/storage/%ff"),
            call("removeStoredValue", 404, "DELETE", one, token: owner),
            call("listStorage", 200, "GET", all), call("listStorage", 400, "GET", "\(all)/"),
            call("listStorage", 404, "GET", all, token: owner),
            call("changeLocalStorage", 200, "PATCH", local, json: #"[["a", "b"], ["c", null]]"#),
            call("changeLocalStorage", 400, "PATCH", local, json: #"[["a"]]"#),
            call("changeLocalStorage", 404, "PATCH", local, token: owner, json: "[]"),
            call("changeLocalStorage", 413, "PATCH", local, json: wide),
            call("localStorage", 200, "GET", local),
            call("localStorage", 404, "GET", local, token: owner),
            call("changeIndexedDB", 200, "PATCH", indexed, json: change),
            call("changeIndexedDB", 409, "PATCH", indexed, json: change),
            call("changeIndexedDB", 400, "PATCH", indexed, json: "[]"),
            call("changeIndexedDB", 404, "PATCH", indexed, token: owner, json: change),
            call("changeIndexedDB", 413, "PATCH", indexed, json: wide),
            call("indexedDB", 200, "GET", "\(indexed)?prefix=data/&after=data/1"),
            call("indexedDB", 400, "GET", "\(indexed)?all=1"),
            call("indexedDB", 404, "GET", indexed, token: owner),
            call("clearIndexedDB", 200, "DELETE", indexed),
            call("clearIndexedDB", 404, "DELETE", indexed, token: owner),
        ] + filling + [
            call("setStoredValue", 507, "PUT", "/storage/9", body: mebibyte),
            call("changeLocalStorage", 200, "PATCH", local, json: half),
            call("changeLocalStorage", 507, "PATCH", local, json: other),
            call(
                "changeIndexedDB", 507, "PATCH", indexed,
                json: #"{"expected": [], "changes": \#(other)}"#),
            call("clearLocalStorage", 200, "DELETE", local),
            call("clearLocalStorage", 404, "DELETE", local, token: owner),
            call("clearStorage", 204, "DELETE", all),
            call("clearStorage", 400, "DELETE", "\(all)/"),
            call("clearStorage", 404, "DELETE", all, token: owner),
        ]
    }
}
