internal import Resources

/// The script that gives a context what a browser would have.
///
/// It is the expression of a function: called with the primitives, it returns the function by which
/// the process calls in. Nothing of it is ever on the global object but what apps shall use.
enum Bootstrap {
    static let name = "nervous:bootstrap"

    /// All parts share one scope, in this order.
    ///
    /// Put together once, so that forked processes share it.
    static let source: String = {
        "(function (host) { \"use strict\";\n"
            + RunnerScripts.all.map(\.text).joined(separator: "\n") + "})"
    }()
}
