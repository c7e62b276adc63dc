import CJavaScriptCore

/// A JavaScript context, which lives as long as the process and is used by one thread.
///
/// Microtasks run when the outermost call into the engine returns.
final class Engine {
    private let context: JSGlobalContextRef
    private let primitiveClass: JSClassRef

    init() throws(LaunchError) {
        guard let context = JSGlobalContextCreate(nil) else { throw .engine("no context") }
        guard let primitiveClass = Primitive.makeClass() else { throw .engine("no class") }
        self.context = context
        self.primitiveClass = primitiveClass
    }

    /// Runs a script; errors report `name` as its file.
    func evaluate(_ source: String, named name: String, line: Int32 = 1) -> Outcome {
        var exception: JSValueRef?
        let value = EngineString(source).withReference { source in
            EngineString(name).withReference { name in
                JSEvaluateScript(context, source, nil, name, line, &exception)
            }
        }
        return outcome(value, exception)
    }

    /// Whether a text is a syntactically valid script.
    func isScript(_ source: String) -> Bool {
        EngineString(source).withReference { JSCheckScriptSyntax(context, $0, nil, 1, nil) }
    }

    func call(_ function: JSObjectRef, _ arguments: [JSValueRef?]) -> Outcome {
        var exception: JSValueRef?
        let value = JSObjectCallAsFunction(
            context, function, nil, arguments.count, arguments, &exception)
        return outcome(value, exception)
    }

    /// A value as a function, protected from garbage collection; `nil` if it is not a function.
    func retainedFunction(_ value: JSValueRef?) -> JSObjectRef? {
        guard let value, JSValueIsObject(context, value),
            let object = JSValueToObject(context, value, nil),
            JSObjectIsFunction(context, object)
        else { return nil }
        JSValueProtect(context, object)
        return object
    }

    /// Frees everything that scripts cannot reach.
    func collectGarbage() { JSSynchronousGarbageCollectForDebugging(context) }

    /// Calls `function` with promise and reason for every unhandled rejection.
    func reportUnhandledRejections(to function: JSObjectRef) {
        JSGlobalContextSetUnhandledRejectionCallback(context, function, nil)
    }

    /// `String(value)`; empty if that throws.
    func describe(_ value: JSValueRef) -> String {
        guard let copy = JSValueToStringCopy(context, value, nil) else { return "" }
        return EngineString(adopting: copy).text(limit: Limits.text)
    }

    /// A value as text; `nil` if it is not a string.
    func text(_ value: JSValueRef?) -> String? {
        guard let value, JSValueIsString(context, value),
            let copy = JSValueToStringCopy(context, value, nil)
        else { return nil }
        return EngineString(adopting: copy).text()
    }

    func number(_ value: Double) -> JSValueRef? { JSValueMakeNumber(context, value) }

    func string(_ text: String) -> JSValueRef? {
        EngineString(text).withReference { JSValueMakeString(context, $0) }
    }

    /// A new `Uint8Array`; `undefined` when memory is exhausted.
    func bytes(_ bytes: [UInt8]) -> JSValueRef? {
        guard case .value(let array) = PrimitiveResult.bytes(bytes).outcome(in: context) else {
            return JSValueMakeUndefined(context)
        }
        return array
    }

    /// An object with one function for each primitive.
    ///
    /// It has no prototype: setting a property would call a setter that an app gave its prototype.
    func object(of primitives: [Primitive]) -> JSValueRef? {
        let object = JSObjectMake(context, nil, nil)
        JSObjectSetPrototype(context, object, JSValueMakeNull(context))
        for primitive in primitives {
            let function = JSObjectMake(
                context, primitiveClass, Unmanaged.passRetained(primitive).toOpaque())
            let attributes = JSPropertyAttributes(kJSPropertyAttributeReadOnly)
            EngineString(primitive.name).withReference {
                JSObjectSetProperty(context, object, $0, function, attributes, nil)
            }
        }
        return object
    }

    private func outcome(_ value: JSValueRef?, _ exception: JSValueRef?) -> Outcome {
        if let exception { .thrown(exception) } else { .value(value) }
    }
}

/// The result of a call into the engine.
///
/// Values are protected from garbage collection only while they are on the stack.
enum Outcome {
    case value(JSValueRef?)
    case thrown(JSValueRef)
}

/// A string owned by the engine, released at the end of its lifetime.
struct EngineString: ~Copyable {
    private let reference: JSStringRef

    init(_ text: String) {
        if text.utf8.contains(0) {
            let units = Array(text.utf16)
            reference = JSStringCreateWithCharacters(units, units.count)
        } else {
            // The engine stores ASCII with one byte a character.
            reference = JSStringCreateWithUTF8CString(text)
        }
    }

    /// Takes ownership of a reference.
    init(adopting reference: JSStringRef) {
        self.reference = reference
    }

    deinit {
        JSStringRelease(reference)
    }

    /// Calls `body` with the reference, which must not escape.
    func withReference<T>(_ body: (JSStringRef) -> T) -> T { body(reference) }

    /// The number of UTF-16 code units.
    var length: Int { JSStringGetLength(reference) }

    /// The text of the first `limit` UTF-16 code units, lone surrogates replaced.
    func text(limit: Int = .max) -> String {
        if length <= limit, let text = String(validating: utf8, as: UTF8.self),
            text.utf16.count == length
        {
            return text
        }
        let units = UnsafeBufferPointer(
            start: JSStringGetCharactersPtr(reference), count: min(length, limit))
        return String(decoding: units, as: UTF16.self)
    }

    /// The text up to the first lone surrogate, where the engine's conversion stops.
    private var utf8: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: JSStringGetMaximumUTF8CStringSize(reference)) {
            buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) {
                JSStringGetUTF8CString(reference, $0.baseAddress, $0.count)
            }
            // Without the terminating zero; the count is zero when memory is exhausted.
            count = max(0, count - 1)
        }
    }
}
