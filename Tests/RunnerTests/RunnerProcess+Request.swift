import RunnerProtocol

extension RunnerProcess {
    /// An app that waits for the answer to a synchronous request, and the number of that request.
    static func inSynchronousRequest() throws -> (RunnerProcess, id: UInt32) {
        let runner = try RunnerProcess()
        _ = try runner.next()
        try runner.send(
            .load(
                name: "app.js",
                source: "const x = new XMLHttpRequest(); x.open('GET', '/', false); x.send()"),
            .loaded)
        guard case .request(let id, _, _, _, _) = try runner.next() else {
            throw Failure("no request")
        }
        return (runner, id)
    }
}
