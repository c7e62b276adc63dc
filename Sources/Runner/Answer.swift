internal import CJavaScriptCore
internal import Glibc

/// What a primitive gives back.
enum Answer {
    case nothing
    case number(Double)
    case text(String)
    case bytes([UInt8])

    func value(in context: JSContextRef) -> JSValueRef? {
        switch self {
        case .nothing: JSValueMakeUndefined(context)
        case .number(let number): JSValueMakeNumber(context, number)
        case .text(let text): EngineString(text).withReference { JSValueMakeString(context, $0) }
        case .bytes(let bytes): Self.array(of: bytes, in: context)
        }
    }

    /// A fresh `Uint8Array`; `null` when there is no memory for it.
    static func array(of bytes: [UInt8], in context: JSContextRef) -> JSValueRef? {
        guard
            let array = JSObjectMakeTypedArray(
                context, kJSTypedArrayTypeUint8Array, bytes.count, nil)
        else { return JSValueMakeNull(context) }
        if !bytes.isEmpty, let memory = JSObjectGetTypedArrayBytesPtr(context, array, nil) {
            memcpy(memory, bytes, bytes.count)
        }
        return array
    }
}
