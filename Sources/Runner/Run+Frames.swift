import RunnerProtocol

extension Run {
    /// Does what the host says.
    ///
    /// A frame about a request that is over is late, not wrong.
    func handle(_ frame: HostFrame) {
        switch frame {
        case .load(let name, let source):
            turnLimit.begin()
            let outcome = engine.evaluate(source, named: name)
            turnLimit.end()
            if case .thrown(let error) = outcome { report(error, file: name) }
        case .loaded:
            isLoaded = true
        case .response(let id, let status, let headers):
            guard requests.contains(id) else { return }
            dispatch(
                "response", engine.number(Double(id)), engine.number(Double(status)),
                engine.string(lines(of: headers)))
        case .body(let id, let bytes):
            guard requests.contains(id) else { return }
            dispatch("body", engine.number(Double(id)), engine.bytes(bytes))
        case .end(let id):
            guard requests.remove(id) != nil else { return }
            dispatch("end", engine.number(Double(id)))
        case .failure(let id, let message):
            guard requests.remove(id) != nil else { return }
            dispatch("failure", engine.number(Double(id)), engine.string(message))
        case .ping(let number):
            send(.pong(number))
        case .limits(let wall, let cpu):
            turnLimit.set(wall: wall, cpu: cpu)
        }
    }

    /// Name and value of each field on lines of their own: a string is what no code of the app can
    /// reach while it is taken apart.
    func lines(of headers: [HeaderField]) -> String {
        headers.map { "\(oneLine($0.name))\n\(oneLine($0.value))\n" }.joined()
    }

    private func oneLine(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 == 10 || $0 == 13 ? 32 : $0 }, as: UTF8.self)
    }
}
