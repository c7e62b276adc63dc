import CJavaScriptCore
import Glibc

/// What JavaScript passed to a primitive.
///
/// Nothing is converted: a value of another type is refused, so that no code of the app runs in
/// between.
struct Arguments {
    let context: JSContextRef
    let values: UnsafeBufferPointer<JSValueRef?>

    func number(_ index: Int) throws(PrimitiveError) -> Double {
        let value = try value(index)
        guard JSValueIsNumber(context, value) else { throw PrimitiveError("a number is needed") }
        return JSValueToNumber(context, value, nil)
    }

    /// An integer from 0 to what the type holds.
    func integer<T: UnsignedInteger & FixedWidthInteger>(
        _ index: Int
    ) throws(PrimitiveError) -> T {
        guard let integer = T(exactly: try number(index)) else {
            throw PrimitiveError("a number is out of range")
        }
        return integer
    }

    /// A string cut at `limit` UTF-16 code units, with how many were left off.
    func string(_ index: Int, cutAt limit: Int) throws(PrimitiveError) -> (String, leftOff: Int) {
        let value = try value(index)
        guard JSValueIsString(context, value), let copy = JSValueToStringCopy(context, value, nil)
        else { throw PrimitiveError("a string is needed") }
        let string = EngineString(adopting: copy)
        return (string.text(limit: limit), max(0, string.length - limit))
    }

    func string(_ index: Int, limit: Int) throws(PrimitiveError) -> String {
        let (text, leftOff) = try string(index, cutAt: limit)
        guard leftOff == 0 else { throw PrimitiveError("a string is too long") }
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
        else { throw PrimitiveError("bytes are needed") }
        let count = JSObjectGetTypedArrayByteLength(context, array, nil)
        guard count <= limit else { throw PrimitiveError("there are too many bytes") }
        // The pointer is that of the whole buffer, of which the array may be a part.
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
