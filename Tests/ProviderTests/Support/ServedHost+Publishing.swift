extension ServedHost {
    /// Publishes a text in some form.
    func publish(
        _ text: String, as type: String = "application/json", to sensor: String = "steps",
        token: String? = nil, key: String? = nil
    ) async throws -> Answer {
        var headers = [("Content-Type", type)]
        if let key { headers.append(("Idempotency-Key", key)) }
        return try await send(
            Call(
                "POST", "/api/v1/sensors/\(sensor)/samples", token: token ?? owner,
                headers: headers, body: Array(text.utf8)))
    }

    /// Declares `steps` with a whole number and a text.
    @discardableResult
    func declareSteps() async throws -> Answer {
        try await send(
            Call(
                "PUT", "/api/v1/sensors/steps", token: owner,
                json: """
                    {"title": "Steps", "fields": [
                      {"name": "count", "kind": "integer"}, {"name": "mood", "kind": "state"}]}
                    """))
    }

    /// The stored samples of `steps`, as CSV without its header.
    func steps() async throws -> String {
        let answer = try await send(
            Call(
                "GET", "/api/v1/sensors/steps/samples?limit=10000", token: owner,
                headers: [("Accept", "text/csv")]))
        return answer.text.replacing("t,count,mood\r\n", with: "").replacing("\r\n", with: "\n")
    }
}
