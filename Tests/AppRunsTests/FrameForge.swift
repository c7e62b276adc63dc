import RunnerProtocol
import TestSupport

/// Makes the possible output of a compromised runner: random frames in any order, with fields that
/// no honest runner sends, and invalid bytes.
struct FrameForge {
    private var random: SplitMix

    init(seed: UInt64) {
        random = SplitMix(state: seed)
    }

    /// One session, as hexadecimal text for `forging-runner`.
    mutating func session() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            if chance(8) { text += "P" }
            text += spelled(chance(12) ? noise() : mutated(frame().encoded()))
        }
        return chance(4) ? text : text + spelled(RunnerFrame.finished(code: 0).encoded())
    }

    /// A whole frame, perhaps with an additional or missing field.
    mutating func frame() -> RunnerFrame {
        switch Int.random(in: 0..<22, using: &random) {
        case 0: .ready(layers: [text(), text()])
        case 1...3: .console(level: .warn, text: text())
        case 4...10:
            .request(
                id: id(), method: method(), target: target(), headers: headers(), body: body())
        case 11...13: .cancel(id: id())
        case 14:
            .uncaught(
                UncaughtError(
                    file: text(), line: id(), column: id(), message: text(), stack: text()))
        case 15, 16: .pong(chance(2) ? 1 : id())
        case 18: .library(id: id(), chance(2) ? .document : chance(2) ? .modules : .encodings)
        case 19: chance(2) ? .view(text: text()) : .markup(text: text())
        case 17 where chance(3): .finished(code: UInt8.random(in: 0...255, using: &random))
        default: .console(level: .log, text: "")
        }
    }

    /// A report that a compromised zygote could send.
    mutating func report() -> ZygoteReport {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .ready(layers: [text()])
        case 1, 2: .started(id: small(), process: chance(2) ? id() : 0)
        case 3: .failed(id: small(), error: id())
        default:
            .ended(
                id: small(), status: id(), cpu: random.next(), peak: random.next())
        }
    }

    mutating func order() -> ZygoteRequest {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .library(chance(2) ? .document : .modules)
        case 1: .script(name: text())
        default: .start(id: id(), cpu: id(), memory: random.next())
        }
    }

    /// The bytes, of which a few are changed in one of four cases.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        guard chance(4), !bytes.isEmpty else { return bytes }
        var bytes = bytes
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            // Lengths and counts are at the beginning.
            let index = Int.random(in: 0..<min(16, bytes.count), using: &random)
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        default: bytes += noise()
        }
        return bytes
    }

    mutating func noise() -> [UInt8] {
        (0..<Int.random(in: 0...64, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
    }

    /// True with the probability 1/`times`.
    mutating func chance(_ times: Int) -> Bool {
        Int.random(in: 0..<times, using: &random) == 0
    }

    mutating func spelled(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    private mutating func id() -> UInt32 {
        chance(2) ? small() : UInt32(truncatingIfNeeded: random.next())
    }

    private mutating func small() -> UInt32 { UInt32.random(in: 0...4, using: &random) }

    private mutating func method() -> String {
        pick(["GET", "GET", "GET", "POST", "DELETE", "TRACE", "", "GET / HTTP/1.1\r\n", "get", "É"])
    }

    private mutating func target() -> String {
        pick([
            "/api/v1/me", "/api/v1/me", "/a?b=c", "http://demo.localhost/x", "//evil/", "/a b",
            "http://localhost/api/v1/apps", "/a\r\nHost: localhost", "http://demo.localhost@evil/",
            "", "/é", "https://demo.localhost/", "/" + String(repeating: "x", count: 8191),
            "/" + String(repeating: "x", count: 8192),
        ])
    }

    private mutating func headers() -> [HeaderField] {
        (0..<Int.random(in: 0...6, using: &random)).map { _ in
            HeaderField(
                pick([
                    "accept", "Accept", "content-type", "authorization", "Host", "cookie",
                    "x\r\nevil", "", "transfer-encoding", "if-match", "origin",
                ]),
                pick([
                    "text/csv", "Bearer other", "a\r\nAuthorization: Bearer other", "", "\u{0}",
                    "é", String(repeating: "x", count: 4000),
                ]))
        }
    }

    private mutating func body() -> [UInt8] {
        chance(30) ? [UInt8](repeating: 7, count: (1 << 20) + small().sizeAround) : noise()
    }

    private mutating func text() -> String {
        pick([
            "", "text", "\u{1B}[2J", "\r\n", "😀", String(repeating: "x", count: 16 << 10),
        ])
    }

    private mutating func pick<T>(_ list: [T]) -> T {
        list[Int.random(in: 0..<list.count, using: &random)]
    }
}

extension UInt32 {
    /// From one below the limit to three above it.
    fileprivate var sizeAround: Int { Int(self) - 1 }
}
