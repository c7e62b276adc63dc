import CJavaScriptCore
import Glibc

/// What a primitive gives back.
enum Answer {
    case nothing
    case number(Double)
    case text(String)
    case bytes([UInt8])

    /// The value for JavaScript, or the exception that there is no memory for it.
    func outcome(in context: JSContextRef) -> Outcome {
        switch self {
        case .nothing: .value(JSValueMakeUndefined(context))
        case .number(let number): .value(JSValueMakeNumber(context, number))
        case .text(let text):
            .value(EngineString(text).withReference { JSValueMakeString(context, $0) })
        case .bytes(let bytes): Self.array(of: bytes, in: context)
        }
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
