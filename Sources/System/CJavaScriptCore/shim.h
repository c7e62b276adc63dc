#include <JavaScriptCore/JavaScript.h>

// Exported by the library without a header; see WebKit's JSContextRefPrivate.h.

/// `function` is called with the promise and the reason when a rejection stays unhandled after the
/// microtasks have run.
void JSGlobalContextSetUnhandledRejectionCallback(
    JSGlobalContextRef context, JSObjectRef function, JSValueRef *exception);

/// Collects all garbage now.
void JSSynchronousGarbageCollectForDebugging(JSContextRef context);
