/// Phones that the owner adds.
extension Exercise {
    static func phones(_ host: ServedHost) -> [Exercise] {
        func add(_ status: Int, _ json: String) -> Exercise {
            host.owned("addPhone", status, "POST", "/phones", json: json)
        }
        return [
            add(201, #"{"name": "eve", "app": "owntracks", "lifetime": "never"}"#),
            add(400, #"{"name": "Eve"}"#), add(409, #"{"name": "eve"}"#),
            add(503, #"{"name": "bob", "requiresNetwork": true}"#),
        ] + host.wrongBodies("addPhone", "POST", "/phones")
    }
}
