import RunnerProtocol

extension Run {
    /// All that `bootstrap.js` can ask of the process.
    var primitives: [Primitive] {
        [
            Primitive("console") { [unowned self] arguments throws(PrimitiveError) in
                try console(arguments)
                return .nothing
            },
            Primitive("uncaught") { [unowned self] arguments throws(PrimitiveError) in
                try uncaught(arguments)
                return .nothing
            },
            Primitive("now") { [unowned self] _ in
                .number(Double(clock.now) / 1_000_000)
            },
            Primitive("setTimer") { [unowned self] arguments throws(PrimitiveError) in
                try setTimer(arguments)
                return .nothing
            },
            Primitive("clearTimer") { [unowned self] arguments throws(PrimitiveError) in
                let id: UInt32 = try arguments.integer(0)
                timers.clear(id)
                backgroundTimers.remove(id)
                return .nothing
            },
            Primitive("request") { [unowned self] arguments throws(PrimitiveError) in
                .number(Double(try request(arguments)))
            },
            Primitive("requestAndWait") { [unowned self] arguments throws(PrimitiveError) in
                try requestAndWait(arguments)
            },
            Primitive("library") { [unowned self] arguments throws(PrimitiveError) in
                try library(arguments)
            },
            Primitive("evaluate") { [unowned self] arguments throws(PrimitiveError) in
                .engine(
                    engine.evaluate(
                        try arguments.string(0, limit: .max),
                        named: try arguments.string(1, limit: Limits.target),
                        line: Int32(clamping: try arguments.integer(2) as UInt32)))
            },
            Primitive("again") { [unowned self] _ in
                isStepDue = true
                return .nothing
            },
            Primitive("cancel") { [unowned self] arguments throws(PrimitiveError) in
                let id: UInt32 = try arguments.integer(0)
                if requests.remove(id) != nil { send(.cancel(id: id)) }
                return .nothing
            },
            Primitive("random") { [unowned self] arguments throws(PrimitiveError) in
                let buffer = try arguments.buffer(0, limit: Limits.random)
                if var numbers = seeded {
                    fill(buffer, with: &numbers)
                    seeded = numbers
                } else {
                    var numbers = SystemRandomNumberGenerator()
                    fill(buffer, with: &numbers)
                }
                return .nothing
            },
            Primitive("encode") { arguments throws(PrimitiveError) in
                .bytes(Array(try arguments.string(0, limit: .max).utf8))
            },
            Primitive("decode") { arguments throws(PrimitiveError) in
                let bytes = UnsafeRawBufferPointer(try arguments.buffer(0, limit: .max))
                guard try arguments.number(1) == 1 else {
                    return .text(String(decoding: bytes, as: UTF8.self))
                }
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw PrimitiveError("the bytes are not UTF-8")
                }
                return .text(text)
            },
            Primitive("close") { [unowned self] arguments throws(PrimitiveError) in
                finish(try arguments.integer(0))
            },
        ]
    }

    private func console(_ arguments: Arguments) throws(PrimitiveError) {
        guard let level = ConsoleLevel(rawValue: try arguments.integer(0)) else {
            throw PrimitiveError("there is no such console level")
        }
        let (text, leftOff) = try arguments.string(1, cutAt: Limits.text)
        let (kept, more) = text.cut(atBytes: Limits.text)
        let rest = leftOff + more
        let note = rest == 0 ? "" : "… [\(rest) more characters]"
        send(.console(level: level, text: kept + note))
    }

    private func uncaught(_ arguments: Arguments) throws(PrimitiveError) {
        hasFailed = true
        send(
            .uncaught(
                UncaughtError(
                    file: try arguments.string(0, cutAt: 1 << 10).0,
                    line: try arguments.integer(1), column: try arguments.integer(2),
                    message: try arguments.string(3, cutAt: Limits.text).0.cut(atBytes: Limits.text)
                        .0,
                    stack: try arguments.string(4, cutAt: Limits.text).0.cut(atBytes: Limits.text).0
                )))
    }

    private func setTimer(_ arguments: Arguments) throws(PrimitiveError) {
        let id: UInt32 = try arguments.integer(0)
        let milliseconds = try arguments.number(1)
        guard (0...Double(Int32.max)).contains(milliseconds) else {
            throw PrimitiveError("a delay is out of range")
        }
        timers.set(id, at: clock.now + UInt64(milliseconds * 1_000_000))
        if try arguments.number(2) == 1 { backgroundTimers.insert(id) }
    }

    private func request(_ arguments: Arguments) throws(PrimitiveError) -> UInt32 {
        let request = try CheckedRequest(arguments)
        let id = try nextRequest()
        requests.insert(id)
        send(request.frame(id))
        return id
    }

    /// - Returns: status, header lines, body, and where a redirect led.
    private func requestAndWait(_ arguments: Arguments) throws(PrimitiveError) -> Answer {
        let request = try CheckedRequest(arguments)
        let limit = try arguments.number(4)
        guard (0...Double(Int32.max)).contains(limit) else {
            throw PrimitiveError("a timeout is out of range")
        }
        let id = try nextRequest()
        let answer = try answer(to: id, milliseconds: limit, asking: request.frame(id))
        return .list([
            .number(Double(answer.status)), .text(lines(of: answer.headers)), .bytes(answer.body),
            .text(answer.url),
        ])
    }

    /// - Returns: what the script of the library evaluates to.
    private func library(_ arguments: Arguments) throws(PrimitiveError) -> Answer {
        let number: UInt8 = try arguments.integer(0)
        guard let library = RunnerLibrary(rawValue: number) else {
            throw PrimitiveError("there is no such library")
        }
        let id = try nextRequest()
        let answer = try answer(to: id, asking: .library(id: id, library))
        return .engine(
            engine.evaluate(
                String(decoding: answer.body, as: UTF8.self), named: "nervous:\(library)"))
    }

    private func nextRequest() throws(PrimitiveError) -> UInt32 {
        guard requests.count < Limits.requests else {
            throw PrimitiveError("\(Limits.requests) requests are under way already")
        }
        repeat { lastRequest &+= 1 } while requests.contains(lastRequest)
        return lastRequest
    }
}

private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, with generator: inout some RandomNumberGenerator
) {
    var rest = buffer[...]
    while !rest.isEmpty {
        withUnsafeBytes(of: generator.next()) { bytes in
            let count = min(bytes.count, rest.count)
            UnsafeMutableRawBufferPointer(rebasing: rest.prefix(count))
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
            rest = rest.dropFirst(count)
        }
    }
}

extension String {
    /// The beginning that fits into `limit` bytes of UTF-8, and how many characters do not.
    func cut(atBytes limit: Int) -> (String, more: Int) {
        guard utf8.count > limit else { return (self, 0) }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return (String(self[..<end]), self[end...].utf16.count)
    }
}
