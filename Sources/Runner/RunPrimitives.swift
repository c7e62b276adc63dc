internal import Resources
import RunnerProtocol

extension Primitive {
    /// The primitives of a run, by which the bootstrap scripts use the process.
    static func all(of run: Run, _ engine: Engine) -> [Primitive] {
        [
            Primitive("console") { [unowned run] arguments throws(PrimitiveError) in
                run.send(try line(arguments))
                return .nothing
            },
            Primitive("uncaught") { [unowned run] arguments throws(PrimitiveError) in
                run.reportUncaught(try uncaught(arguments))
                return .nothing
            },
            Primitive("now") { [unowned run] _ in
                .number(Double(run.now) / 1_000_000)
            },
            Primitive("setTimer") { [unowned run] arguments throws(PrimitiveError) in
                let milliseconds = try arguments.number(1)
                guard (0...Double(Int32.max)).contains(milliseconds) else {
                    throw PrimitiveError("a delay is out of range")
                }
                run.setTimer(
                    try arguments.integer(0), afterNanoseconds: UInt64(milliseconds * 1_000_000),
                    isBackground: try arguments.number(2) == 1)
                return .nothing
            },
            Primitive("clearTimer") { [unowned run] arguments throws(PrimitiveError) in
                run.clearTimer(try arguments.integer(0))
                return .nothing
            },
            Primitive("request") { [unowned run] arguments throws(PrimitiveError) in
                .number(Double(try run.begin(CheckedRequest(arguments))))
            },
            Primitive("requestAndWait") { [unowned run] arguments throws(PrimitiveError) in
                let request = try CheckedRequest(arguments)
                let limit = try arguments.number(4)
                guard (0...Double(Int32.max)).contains(limit) else {
                    throw PrimitiveError("a timeout is out of range")
                }
                let response = try run.response(within: limit) { request.frame($0) }
                return .list([
                    .number(Double(response.status)), .text(response.headers.lines),
                    .bytes(response.body), .text(response.url),
                ])
            },
            Primitive("library") { [unowned run] arguments throws(PrimitiveError) in
                guard let library = RunnerLibrary(rawValue: try arguments.integer(0)) else {
                    throw PrimitiveError("unknown library")
                }
                return .engine(
                    engine.evaluate(
                        try run.source(of: library), named: "nervous:\(library)"))
            },
            Primitive("part") { arguments throws(PrimitiveError) in
                let number: UInt32 = try arguments.integer(0)
                let names = try arguments.string(1, limit: Limits.target)
                guard number < Bootstrap.parts.count else { throw PrimitiveError("unknown part") }
                return .engine(
                    engine.evaluate(
                        Bootstrap.part(Int(number), names: names), named: "nervous:part"))
            },
            Primitive("crypto") { [unowned run] _ in
                .engine(.value(engine.object(of: Primitive.crypto(of: run))))
            },
            Primitive("evaluate") { arguments throws(PrimitiveError) in
                .engine(
                    engine.evaluate(
                        try arguments.string(0, limit: .max),
                        named: try arguments.string(1, limit: Limits.target),
                        line: Int32(clamping: try arguments.integer(2) as UInt32)))
            },
            Primitive("scheduleTurn") { [unowned run] _ in
                run.requestStep()
                return .nothing
            },
            Primitive("cancel") { [unowned run] arguments throws(PrimitiveError) in
                run.cancelRequest(try arguments.integer(0))
                return .nothing
            },
            Primitive("random") { [unowned run] arguments throws(PrimitiveError) in
                run.fillRandom(try arguments.buffer(0, limit: Limits.random))
                return .nothing
            },
            Primitive("randomDoubles") { [unowned run] arguments throws(PrimitiveError) in
                run.fillFractions(try arguments.buffer(0, limit: Limits.random))
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
            Primitive("close") { [unowned run] arguments throws(PrimitiveError) in
                run.finish(try arguments.integer(0))
            },
        ]
    }

    private static func line(_ arguments: Arguments) throws(PrimitiveError) -> RunnerFrame {
        guard let level = ConsoleLevel(rawValue: try arguments.integer(0)) else {
            throw PrimitiveError("unknown console level")
        }
        let (text, cutOff) = try arguments.string(1, cutAt: Limits.text)
        let (kept, more) = text.cut(atBytes: Limits.text)
        let rest = cutOff + more
        let note = rest == 0 ? "" : "… [\(rest) more characters]"
        return .console(level: level, text: kept + note)
    }

    private static func uncaught(
        _ arguments: Arguments
    ) throws(PrimitiveError) -> UncaughtError {
        UncaughtError(
            file: try arguments.string(0, cutAt: 1 << 10).0,
            line: try arguments.integer(1), column: try arguments.integer(2),
            message: try arguments.string(3, cutAt: Limits.text).0.cut(atBytes: Limits.text).0,
            stack: try arguments.string(4, cutAt: Limits.text).0.cut(atBytes: Limits.text).0)
    }
}

extension [HeaderField] {
    /// Name and value of each field on separate lines.
    ///
    /// A string, unlike an object, cannot run code
    /// of the app while it is parsed.
    var lines: String {
        map { "\(Self.oneLine($0.name))\n\(Self.oneLine($0.value))\n" }.joined()
    }

    private static func oneLine(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 == 10 || $0 == 13 ? 32 : $0 }, as: UTF8.self)
    }
}

extension String {
    /// The beginning that fits into `limit` bytes of UTF-8, and the number of characters that do
    /// not.
    fileprivate func cut(atBytes limit: Int) -> (String, more: Int) {
        guard utf8.count > limit else { return (self, 0) }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return (String(self[..<end]), self[end...].utf16.count)
    }

    /// The text cut to `limit` bytes, with a note of the rest.
    func shortened(toBytes limit: Int) -> String {
        let (kept, more) = cut(atBytes: limit - 64)
        return more == 0 ? kept : "\(kept)… [\(more) more characters]"
    }
}
