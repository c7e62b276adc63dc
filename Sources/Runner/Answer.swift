import CJavaScriptCore
import Glibc

/// What a primitive gives back.
enum Answer {
    case nothing
    case number(Double)
    case text(String)
    case bytes([UInt8])
    case list([Answer])
    /// What a script gave, as it is.
    case engine(Outcome)

    /// The value for JavaScript, or the exception that there is no memory for it.
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

    private static func list(of answers: [Answer], in context: JSContextRef) -> Outcome {
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
