import RunnerProtocol

extension Run {
    /// Does what the host says.
    ///
    /// A frame about a request that is over is late, not wrong.
    func handle(_ frame: HostFrame) {
        switch frame {
        case .load(let name, let source):
            load(source, named: name)
        case .loaded:
            isLoaded = true
            // A page says itself when it has loaded.
            if !hasPage { dispatch("loaded") }
        case .page(let name):
            hasPage = true
            dispatch("page", engine.string(name))
        case .present(let text, let markup):
            presentation = Presentation(text: text, markup: markup)
        case .lifetime(let milliseconds):
            end = clock.now + UInt64(milliseconds) * 1_000_000
        case .response(let id, let status, let headers, let url):
            guard requests.contains(id) else { return }
            dispatch(
                "response", engine.number(Double(id)), engine.number(Double(status)),
                engine.string(lines(of: headers)), engine.string(url))
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
        case .time(let start, let seed):
            clock.tell(0)
            seeded = SeededNumbers(seed: seed)
            dispatch("time", engine.number(Double(start) / 1000))
        case .advance(let time, let fires):
            guard clock.isTold else { return }
            clock.tell(time)
            mayFire = fires
        }
    }

    private func load(_ source: String, named name: String) {
        // The engine alone has no modules: where one may be wanted, `modules.js` knows how.
        guard !source.contains("import(") else {
            return dispatch("script", engine.string(name), engine.string(source))
        }
        turnLimit.begin()
        let outcome = engine.evaluate(source, named: name)
        turnLimit.end()
        guard case .thrown(let error) = outcome else { return }
        if engine.isScript(source) {
            report(error, file: name)
        } else {
            dispatch("module", engine.string(name), engine.string(source), error)
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
