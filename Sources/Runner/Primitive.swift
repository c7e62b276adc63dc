import CJavaScriptCore

/// A function of the process that `bootstrap.js` may call.
final class Primitive {
    typealias Body = (Arguments) throws(PrimitiveError) -> Answer

    let name: String
    private let body: Body

    init(_ name: String, _ body: @escaping Body) {
        self.name = name
        self.body = body
    }

    /// The engine's class of all primitives; each instance carries its `Primitive`.
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
