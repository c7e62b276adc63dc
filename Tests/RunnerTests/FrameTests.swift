import RunnerProtocol
import Testing

struct FrameTests {
    static let hostFrames: [HostFrame] = [
        .load(name: "app.js", source: "console.log('grüezi\0')"), .load(name: "", source: ""),
        .loaded,
        .response(id: .max, status: 599, headers: [HeaderField("a", "b"), HeaderField("", "ü")]),
        .response(id: 0, status: 0, headers: []),
        .response(id: 1, status: 200, headers: [], url: "https://b.example/ü"),
        .body(id: 1, bytes: [0, 255, 128]),
        .body(id: 1, bytes: []), .end(id: 2), .failure(id: 3, message: "gone"), .ping(.max),
        .limits(wall: 1, cpu: .max), .page(name: "app.html"), .present(text: true, markup: false),
        .present(text: false, markup: true), .lifetime(.max),
        .time(start: 1_767_600_000_000_000, seed: .max), .advance(to: 0, fires: false),
        .advance(to: .max, fires: true),
    ]
    static let runnerFrames: [RunnerFrame] = [
        .ready(layers: ["landlock 7", "seccomp"]), .ready(layers: []),
        .console(level: .debug, text: ""), .console(level: .error, text: "😀\n"),
        .request(
            id: 1, method: "POST", target: "/api?x=1", headers: [HeaderField("a", "b")],
            body: [1, 2]),
        .cancel(id: 9),
        .uncaught(
            UncaughtError(file: "app.js", line: 1, column: 2, message: "E", stack: "a\nb")),
        .pong(7), .finished(code: 255), .library(id: 1, .document), .library(id: .max, .modules),
        .view(text: "ü\n"), .markup(text: "<p>"), .idle(received: 3, next: nil),
        .idle(received: .max, next: 7),
    ]

    @Test(arguments: hostFrames)
    func `a host frame survives encoding and decoding`(frame: HostFrame) throws {
        var reader = FrameReader<HostFrame>()
        reader.append(frame.encoded())
        #expect(try reader.next() == frame)
        #expect(try reader.next() == nil)
    }

    @Test(arguments: runnerFrames)
    func `a runner frame survives encoding and decoding`(frame: RunnerFrame) throws {
        var reader = FrameReader<RunnerFrame>()
        reader.append(frame.encoded())
        #expect(try reader.next() == frame)
    }

    @Test func `frames are decoded one by one however their bytes are split`() throws {
        let bytes = Self.hostFrames.flatMap { $0.encoded() }
        for size in [1, 2, 3, 7, bytes.count] {
            var reader = FrameReader<HostFrame>()
            var frames: [HostFrame] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                reader.append(bytes[start..<min(start + size, bytes.count)])
                while let frame = try reader.next() { frames.append(frame) }
            }
            #expect(frames == Self.hostFrames)
        }
    }

    @Test(arguments: runnerFrames)
    func `an incomplete frame is not decoded`(frame: RunnerFrame) throws {
        let bytes = frame.encoded()
        for length in 0..<bytes.count {
            var reader = FrameReader<RunnerFrame>()
            reader.append(bytes[..<length])
            #expect(try reader.next() == nil)
        }
    }

    @Test(arguments: runnerFrames)
    func `a payload that ends early is malformed`(frame: RunnerFrame) {
        let bytes = frame.encoded()
        for length in 5..<bytes.count {
            let rest = Array(bytes[4..<length])
            #expect(throws: FrameError.self) { try self.read(rest) }
        }
    }

    @Test func `a frame above a limit is rejected before it has arrived`() {
        var reader = FrameReader<HostFrame>()
        reader.append([0, 0, 0, 0x7f])
        #expect(throws: FrameError.tooLarge(0x7f00_0000)) { try reader.next() }
    }

    @Test(
        arguments: [
            ([99], FrameError.unknownType(99)),
            ([0], .unknownType(0)),
            ([6, 1, 0, 0, 0, 0], .malformed("trailing bytes")),
            ([], .malformed("length")),
            ([2, 9, 0, 0, 0, 0], .malformed("console level")),
            ([2, 1, 1, 0, 0, 0, 0xff], .malformed("UTF-8")),
            ([2, 1, 2, 0, 0, 0, 0xc0, 0x80], .malformed("UTF-8")),
            ([2, 1, 0xff, 0xff, 0xff, 0xff], .malformed("length")),
            ([1, 0xff, 0xff, 0xff, 0xff], .malformed("count")),
            ([1, 65, 0, 0, 0], .malformed("count")),
        ] as [([UInt8], FrameError)])
    func `invalid frames are rejected`(payload: [UInt8], error: FrameError) {
        #expect(throws: error) { try self.read(payload) }
    }

    @Test func `random bytes are rejected or decoded within their length`() {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var state = seed
        func random() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        for _ in 0..<20_000 {
            let type = random() % 9
            let payload =
                [type] + (0..<Int(random() % 40)).map { _ in random() % 5 == 0 ? random() : 0 }
            guard let frame = try? read(payload) else { continue }
            #expect(Array(frame.encoded().dropFirst(4)) == payload, "seed \(seed)")
        }
    }

    @discardableResult
    private func read(_ payload: [UInt8]) throws -> RunnerFrame? {
        var reader = FrameReader<RunnerFrame>()
        let length = UInt32(payload.count)
        reader.append((0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + payload)
        return try reader.next()
    }
}
