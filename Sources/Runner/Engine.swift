import CJavaScriptCore

/// One JavaScript context, which lives as long as the process and belongs to its only thread.
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

    /// Runs a script; `name` is what errors give as their file.
    func evaluate(_ source: String, named name: String, line: Int32 = 1) -> Outcome {
        var exception: JSValueRef?
        let value = EngineString(source).withReference { source in
            EngineString(name).withReference { name in
                JSEvaluateScript(context, source, nil, name, line, &exception)
            }
        }
        return outcome(value, exception)
    }

    /// Whether a text is a script, as far as its syntax goes.
    func isScript(_ source: String) -> Bool {
        EngineString(source).withReference { JSCheckScriptSyntax(context, $0, nil, 1, nil) }
    }

    func call(_ function: JSObjectRef, _ arguments: [JSValueRef?]) -> Outcome {
        var exception: JSValueRef?
        let value = JSObjectCallAsFunction(
            context, function, nil, arguments.count, arguments, &exception)
        return outcome(value, exception)
    }

    /// The function that a value is, kept from the collector from now on.
    func retainedFunction(_ value: JSValueRef?) -> JSObjectRef? {
        guard let value, JSValueIsObject(context, value),
            let object = JSValueToObject(context, value, nil),
            JSObjectIsFunction(context, object)
        else { return nil }
        JSValueProtect(context, object)
        return object
    }

    /// Calls `function` with promise and reason for every rejection that nobody handles.
    func reportUnhandledRejections(to function: JSObjectRef) {
        JSGlobalContextSetUnhandledRejectionCallback(context, function, nil)
    }

    /// What `String(value)` gives, and nothing when that throws.
    func describe(_ value: JSValueRef) -> String {
        guard let copy = JSValueToStringCopy(context, value, nil) else { return "" }
        return EngineString(adopting: copy).text(limit: Limits.text)
    }

    /// The text that a value is; `nil` when it is something else.
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

    /// A fresh `Uint8Array`; `undefined` when there is no memory for it.
    func bytes(_ bytes: [UInt8]) -> JSValueRef? {
        guard case .value(let array) = Answer.bytes(bytes).outcome(in: context) else {
            return JSValueMakeUndefined(context)
        }
        return array
    }

    /// An object with one function for each primitive.
    func object(of primitives: [Primitive]) -> JSValueRef? {
        let object = JSObjectMake(context, nil, nil)
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
