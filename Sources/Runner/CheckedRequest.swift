import RunnerProtocol

/// A request whose parts are valid in HTTP; only its checks can make one.
struct CheckedRequest {
    let method: String
    let target: String
    let headers: [HeaderField]
    let body: [UInt8]

    /// Checks the arguments of a primitive: method, address, header lines, body.
    init(_ arguments: Arguments) throws(PrimitiveError) {
        method = try arguments.string(0, limit: 32)
        guard method.isToken else { throw PrimitiveError("the method is not a token") }
        target = try arguments.string(1, limit: Limits.target)
        guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw PrimitiveError("the address is not valid")
        }
        headers = try Self.fields(try arguments.string(2, limit: Limits.text))
        body = try arguments.bytes(3, limit: Limits.body)
    }

    func frame(_ id: UInt32) -> RunnerFrame {
        .request(id: id, method: method, target: target, headers: headers, body: body)
    }

    /// Parses alternating lines of names and values.
    private static func fields(_ lines: String) throws(PrimitiveError) -> [HeaderField] {
        let lines = lines.utf8.split(separator: 10, omittingEmptySubsequences: false).dropLast()
        guard lines.count.isMultiple(of: 2), lines.count / 2 <= FrameLimits.headers else {
            throw PrimitiveError("there are too many headers")
        }
        var fields: [HeaderField] = []
        for start in stride(from: lines.startIndex, to: lines.endIndex, by: 2) {
            guard let name = String(lines[start]), let value = String(lines[start + 1]),
                name.isToken, value.utf8.allSatisfy({ $0 == 9 || $0 >= 32 && $0 != 127 })
            else { throw PrimitiveError("a header is not valid") }
            fields.append(HeaderField(name, value))
        }
        guard lines.reduce(0, { $0 + $1.count }) <= FrameLimits.headerBytes else {
            throw PrimitiveError("the headers are too long")
        }
        return fields
    }
}

extension String {
    /// Whether this is a token of RFC 9110, section 5.6.2.
    fileprivate var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

/// Limits on the values that an app passes to primitives.
enum Limits {
    /// UTF-8 bytes of a console line, a message or a stack trace.
    static let text = FrameLimits.text
    /// Requests without a complete response.
    static let requests = 64
    /// Bytes of a request's body.
    static let body = FrameLimits.body
    /// Bytes of a request's address.
    static let target = FrameLimits.target
    /// Bytes of random numbers in one call.
    static let random = 64 << 10
    /// Bytes of each input of an operation of `crypto.subtle`.
    static let cryptoInput = 32 << 20
    /// Bytes that are derived from a key at once.
    static let derived = 1 << 20
}
