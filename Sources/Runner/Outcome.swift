import CJavaScriptCore

/// How a call into the engine ended.
///
/// Values live as long as they are on the stack.
enum Outcome {
    case value(JSValueRef?)
    case thrown(JSValueRef)
}
