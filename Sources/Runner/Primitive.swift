import CJavaScriptCore
import Glibc

/// A native function that the bootstrap scripts may call.
final class Primitive {
    typealias Body = (Arguments) throws(PrimitiveError) -> PrimitiveResult

    let name: String
    private let body: Body

    init(_ name: String, _ body: @escaping Body) {
        self.name = name
        self.body = body
    }

    /// The engine's class of all primitives; each instance retains its `Primitive`.
    static func makeClass() -> JSClassRef? {
        var definition = kJSClassDefinitionEmpty
        definition.callAsFunction = { context, function, _, count, values, exception in
            guard let context, let carried = JSObjectGetPrivate(function) else { return nil }
            let primitive = Unmanaged<Primitive>.fromOpaque(carried).takeUnretainedValue()
            let arguments = Arguments(
                context: context, values: UnsafeBufferPointer(start: values, count: count))
            do throws(PrimitiveError) {
                switch try primitive.body(arguments).outcome(in: context) {
                case .value(let value): return value
                case .thrown(let error): exception?.pointee = error
                }
            } catch {
                exception?.pointee = EngineString(error.message).withReference {
                    JSValueMakeString(context, $0)
                }
            }
            return nil
        }
        definition.finalize = { object in
            guard let carried = JSObjectGetPrivate(object) else { return }
            Unmanaged<Primitive>.fromOpaque(carried).release()
        }
        return JSClassCreate(&definition)
    }
}

/// Why a primitive failed; the bootstrap scripts throw a `TypeError` with the message.
struct PrimitiveError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// The arguments of a primitive.
///
/// Values are not converted: one of another type is rejected, because a conversion could run code of
/// the app, such as `valueOf`.
struct Arguments {
    let context: JSContextRef
    let values: UnsafeBufferPointer<JSValueRef?>

    func number(_ index: Int) throws(PrimitiveError) -> Double {
        let value = try value(index)
        guard JSValueIsNumber(context, value) else { throw PrimitiveError("a number is required") }
        return JSValueToNumber(context, value, nil)
    }

    /// An unsigned integer.
    func integer<T: UnsignedInteger & FixedWidthInteger>(
        _ index: Int
    ) throws(PrimitiveError) -> T {
        guard let integer = T(exactly: try number(index)) else {
            throw PrimitiveError("a number is out of range")
        }
        return integer
    }

    /// A string cut to `limit` UTF-16 code units, and the number of code units that were cut off.
    func string(_ index: Int, cutAt limit: Int) throws(PrimitiveError) -> (String, cutOff: Int) {
        let value = try value(index)
        guard JSValueIsString(context, value), let copy = JSValueToStringCopy(context, value, nil)
        else { throw PrimitiveError("a string is required") }
        let string = EngineString(adopting: copy)
        return (string.text(limit: limit), max(0, string.length - limit))
    }

    func string(_ index: Int, limit: Int) throws(PrimitiveError) -> String {
        let (text, cutOff) = try string(index, cutAt: limit)
        guard cutOff == 0 else { throw PrimitiveError("a string is too long") }
        return text
    }

    func bytes(_ index: Int, limit: Int) throws(PrimitiveError) -> [UInt8] {
        Array(try buffer(index, limit: limit))
    }

    /// The memory of a `Uint8Array`, valid until the primitive returns.
    func buffer(
        _ index: Int, limit: Int
    ) throws(PrimitiveError) -> UnsafeMutableRawBufferPointer {
        let value = try value(index)
        guard JSValueGetTypedArrayType(context, value, nil) == kJSTypedArrayTypeUint8Array,
            let array = JSValueToObject(context, value, nil)
        else { throw PrimitiveError("a Uint8Array is required") }
        let count = JSObjectGetTypedArrayByteLength(context, array, nil)
        guard count <= limit else { throw PrimitiveError("there are too many bytes") }
        // The pointer is to the start of the underlying buffer, which may be before the start of
        // the array.
        let offset = JSObjectGetTypedArrayByteOffset(context, array, nil)
        let start = JSObjectGetTypedArrayBytesPtr(context, array, nil)
        return UnsafeMutableRawBufferPointer(start: start.map { $0 + offset }, count: count)
    }

    private func value(_ index: Int) throws(PrimitiveError) -> JSValueRef {
        guard index < values.count, let value = values[index] else {
            throw PrimitiveError("an argument is missing")
        }
        return value
    }
}

/// The result of a primitive.
enum PrimitiveResult {
    case nothing
    case number(Double)
    case text(String)
    case bytes([UInt8])
    case list([PrimitiveResult])
    /// The result of a script.
    case engine(Outcome)

    /// The JavaScript value, or the exception that memory is exhausted.
    func outcome(in context: JSContextRef) -> Outcome {
        switch self {
        case .nothing: .value(JSValueMakeUndefined(context))
        case .number(let number): .value(JSValueMakeNumber(context, number))
        case .text(let text):
            .value(EngineString(text).withReference { JSValueMakeString(context, $0) })
        case .bytes(let bytes): Self.array(of: bytes, in: context)
        case .list(let answers): Self.list(of: answers, in: context)
        case .engine(let outcome): outcome
        }
    }

    private static func list(of answers: [PrimitiveResult], in context: JSContextRef) -> Outcome {
        var values: [JSValueRef?] = []
        for answer in answers {
            switch answer.outcome(in: context) {
            case .value(let value): values.append(value)
            case .thrown(let error): return .thrown(error)
            }
        }
        var exception: JSValueRef?
        let array = JSObjectMakeArray(context, values.count, values, &exception)
        return exception.map(Outcome.thrown) ?? .value(array)
    }

    private static func array(of bytes: [UInt8], in context: JSContextRef) -> Outcome {
        var exception: JSValueRef?
        let array = JSObjectMakeTypedArray(
            context, kJSTypedArrayTypeUint8Array, bytes.count, &exception)
        if let exception { return .thrown(exception) }
        if !bytes.isEmpty, let memory = JSObjectGetTypedArrayBytesPtr(context, array, nil) {
            memcpy(memory, bytes, bytes.count)
        }
        return .value(array)
    }
}
