// DOMException, Event, EventTarget, AbortController.
const exceptionCodes = {
    __proto__: null, IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
    NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10,
    InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14,
    InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20,
    URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24,
    DataCloneError: 25,
};

class DOMException extends $Error {
    #name;
    constructor(message = "", name = "Error") {
        super(message);
        this.#name = text(name);
    }
    get name() { return this.#name; }
    get code() { return exceptionCodes[this.#name] ?? 0; }
    static isException(value) { return isObject(value) && #name in value; }
}
const { isException } = DOMException;
delete DOMException.isException;
const $DOMException = DOMException;
setProperty(DOMException.prototype, toStringTag, { __proto__: null, value: "DOMException", configurable: true });
{
    const names = split("INDEX_SIZE DOMSTRING_SIZE HIERARCHY_REQUEST WRONG_DOCUMENT INVALID_CHARACTER NO_DATA_ALLOWED "
        + "NO_MODIFICATION_ALLOWED NOT_FOUND NOT_SUPPORTED INUSE_ATTRIBUTE INVALID_STATE SYNTAX "
        + "INVALID_MODIFICATION NAMESPACE INVALID_ACCESS VALIDATION TYPE_MISMATCH SECURITY NETWORK ABORT "
        + "URL_MISMATCH QUOTA_EXCEEDED TIMEOUT INVALID_NODE_TYPE DATA_CLONE", " ");
    for (let index = 0; index < names.length; index++) {
        const constant = { __proto__: null, value: index + 1, enumerable: true };
        setProperty(DOMException, `${names[index]}_ERR`, constant);
        setProperty(DOMException.prototype, `${names[index]}_ERR`, constant);
    }
}

class Event {
    #type; #cancelable; #bubbles; #composed;
    #target = null; #current = null; #phase = 0; #path = [];
    #prevented = false; #stopped = false; #halted = false; #isUnderWay = false;
    #time = host.now();
    constructor(type, options = {}) {
        this.#type = text(type);
        this.#cancelable = !!options?.cancelable;
        this.#bubbles = !!options?.bubbles;
        this.#composed = !!options?.composed;
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#current; }
    get cancelable() { return this.#cancelable; }
    get bubbles() { return this.#bubbles; }
    get composed() { return this.#composed; }
    get isTrusted() { return false; }
    get timeStamp() { return this.#time; }
    get eventPhase() { return this.#phase; }
    get defaultPrevented() { return this.#prevented; }
    get returnValue() { return !this.#prevented; }
    set returnValue(value) { if (!value) this.preventDefault(); }
    get cancelBubble() { return this.#stopped; }
    set cancelBubble(value) { if (value) this.#stopped = true; }
    composedPath() {
        const path = [];
        for (let index = 0; index < this.#path.length; index++) append(path, this.#path[index]);
        return path;
    }
    preventDefault() { if (this.#cancelable) this.#prevented = true; }
    stopPropagation() { this.#stopped = true; }
    stopImmediatePropagation() { this.#stopped = this.#halted = true; }
    initEvent(type, bubbles = false, cancelable = false) {
        if (this.#isUnderWay) return;
        this.#type = text(type);
        this.#bubbles = !!bubbles;
        this.#cancelable = !!cancelable;
        this.#prevented = this.#stopped = this.#halted = false;
        this.#target = null;
    }
    static internals = {
        __proto__: null,
        begin(event, path) {
            if (event.#isUnderWay) {
                throw new $DOMException("the event is already being dispatched", "InvalidStateError");
            }
            event.#isUnderWay = true;
            event.#target = path[0];
            event.#path = path;
        },
        enter(event, current, phase) {
            event.#current = current;
            event.#phase = phase;
        },
        finish(event) {
            event.#isUnderWay = event.#stopped = event.#halted = false;
            event.#current = null;
            event.#phase = 0;
            event.#path = [];
            return !event.#prevented;
        },
        typeOf: (event) => event.#type,
        bubbles: (event) => event.#bubbles,
        isStopped: (event) => event.#stopped,
        isHalted: (event) => event.#halted,
        prevent(event) { if (event.#cancelable) event.#prevented = true; },
    };
}
const {
    begin: beginEvent, enter: enterEvent, finish: finishEvent, typeOf: eventType,
    bubbles: eventBubbles, isStopped, isHalted, prevent: preventEvent,
} = Event.internals;
delete Event.internals;
{
    const phases = ["NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"];
    for (let phase = 0; phase < phases.length; phase++) {
        const constant = { __proto__: null, value: phase, enumerable: true };
        setProperty(Event, phases[phase], constant);
        setProperty(Event.prototype, phases[phase], constant);
    }
}

class CustomEvent extends Event {
    #detail;
    constructor(type, options = {}) {
        super(type, options);
        this.#detail = options?.detail ?? null;
    }
    get detail() { return this.#detail; }
    initCustomEvent(type, bubbles, cancelable, detail = null) {
        this.initEvent(type, bubbles, cancelable);
        this.#detail = detail;
    }
}

// The listeners of each target, in order. Any object can be a target, including the global object and
// the nodes of a page.
const listenersOf = new $WeakMap();
// The next target on an event's path after `target`; nodes of a page have one.
let parentOfTarget = () => null;

function findListener(list, kind, callback, capture) {
    for (let index = 0; index < list.length; index++) {
        const entry = list[index];
        if (entry.kind === kind && entry.callback === callback && entry.capture === capture) {
            return index;
        }
    }
    return -1;
}

function addListener(target, type, callback, options) {
    if (callback === null || callback === undefined) return;
    if (!isObject(callback)) throw new $TypeError("the listener is not a function");
    const once = isObject(options) && !!options.once;
    const capture = isObject(options) ? !!options.capture : !!options;
    const signal = isObject(options) ? options.signal : undefined;
    const kind = text(type);
    if (signal !== undefined && isAborted(signal)) return;
    const list = weakGet(listenersOf, target) ?? [];
    if (findListener(list, kind, callback, capture) >= 0) return;
    append(list, { __proto__: null, kind, callback, once, capture, isRemoved: false });
    weakSet(listenersOf, target, list);
    if (signal !== undefined) {
        whenAborted(signal, () => removeListener(target, kind, callback, capture));
    }
}

function removeListener(target, kind, callback, capture) {
    const list = weakGet(listenersOf, target);
    if (list === undefined) return;
    const index = findListener(list, kind, callback, capture);
    if (index < 0) return;
    list[index].isRemoved = true;
    const rest = [];
    for (let at = 0; at < list.length; at++) {
        if (at !== index) append(rest, list[at]);
    }
    weakSet(listenersOf, target, rest);
}

function hasListener(target, kind) {
    const list = weakGet(listenersOf, target) ?? [];
    for (let index = 0; index < list.length; index++) if (list[index].kind === kind) return true;
    return false;
}

// An exception of a listener is reported, and the next one is called.
function callListeners(target, event, phase, capture) {
    const list = weakGet(listenersOf, target), kind = eventType(event);
    if (list === undefined || isStopped(event)) return;
    enterEvent(event, target, phase);
    const size = list.length;
    for (let index = 0; index < size && !isHalted(event); index++) {
        const entry = list[index];
        if (entry.kind !== kind || entry.capture !== capture || entry.isRemoved) continue;
        if (entry.once) removeListener(target, kind, entry.callback, capture);
        if (typeof entry.callback === "function") {
            callApp(entry.callback, target, [event]);
        } else {
            callApp(() => entry.callback.handleEvent(event), undefined, []);
        }
    }
}

function dispatchTo(target, event) {
    const path = [target];
    for (let at = parentOfTarget(target, event); at !== null; at = parentOfTarget(at, event)) {
        append(path, at);
    }
    beginEvent(event, path);
    for (let index = path.length - 1; index > 0; index--) {
        callListeners(path[index], event, 1, true);
    }
    callListeners(target, event, 2, true);
    callListeners(target, event, 2, false);
    for (let index = 1; index < path.length && eventBubbles(event); index++) {
        callListeners(path[index], event, 3, false);
    }
    return finishEvent(event);
}

class EventTarget {
    addEventListener(type, callback, options) {
        addListener(this ?? globalObject, type, callback, options);
    }
    removeEventListener(type, callback, options) {
        const capture = isObject(options) ? !!options.capture : !!options;
        removeListener(this ?? globalObject, text(type), callback, capture);
    }
    dispatchEvent(event) { return dispatchTo(this ?? globalObject, event); }
}

// Event handler attributes such as `onload`: each keeps its position among the listeners from when it
// was first set.
const handlersOf = new $WeakMap();

function handlerOf(target, type) {
    return (weakGet(handlersOf, target) ?? { __proto__: null })[type]?.callback ?? null;
}

function setHandler(target, type, value) {
    const callback = isObject(value) ? value : null;
    let handlers = weakGet(handlersOf, target);
    if (handlers === undefined) weakSet(handlersOf, target, handlers = { __proto__: null });
    let entry = handlers[type];
    if (entry === undefined) {
        if (callback === null) return;
        entry = handlers[type] = { __proto__: null, callback };
        addListener(target, type, function (event) {
            const handler = entry.callback;
            if (typeof handler !== "function") return;
            const isError = type === "error" && this === globalObject && event instanceof ErrorEvent;
            const result = apply(handler, this, isError
                ? [event.message, event.filename, event.lineno, event.colno, event.error] : [event]);
            if (result === (isError ? true : false)) preventEvent(event);
        });
    }
    entry.callback = callback;
}

function addHandlers(prototype, types) {
    for (let index = 0; index < types.length; index++) {
        const type = types[index];
        setProperty(prototype, `on${type}`, {
            __proto__: null, enumerable: true, configurable: true,
            get() { return handlerOf(this ?? globalObject, type); },
            set(value) { setHandler(this ?? globalObject, type, value); },
        });
    }
}

class ErrorEvent extends Event {
    #options;
    constructor(type, options = {}) {
        super(type, options);
        this.#options = {
            __proto__: null, message: text(options?.message ?? ""), error: options?.error,
            filename: text(options?.filename ?? ""), lineno: +(options?.lineno ?? 0),
            colno: +(options?.colno ?? 0),
        };
    }
    get message() { return this.#options.message; }
    get filename() { return this.#options.filename; }
    get lineno() { return this.#options.lineno; }
    get colno() { return this.#options.colno; }
    get error() { return this.#options.error; }
}

class PromiseRejectionEvent extends Event {
    #promise; #reason;
    constructor(type, options) {
        super(type, options);
        this.#promise = options?.promise;
        this.#reason = options?.reason;
    }
    get promise() { return this.#promise; }
    get reason() { return this.#reason; }
}

const creation = $Symbol("creation");

class AbortSignal extends EventTarget {
    #aborted = false; #reason = undefined; #actions = [];
    constructor(key) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        super();
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    static abort(reason) {
        const signal = new AbortSignal(creation);
        abortSignal(signal, reason);
        return signal;
    }
    static timeout(milliseconds) {
        const signal = new AbortSignal(creation);
        startTimer(() => {
            abortSignal(signal, new $DOMException("The operation timed out.", "TimeoutError"));
        }, [], milliseconds, false, true);
        return signal;
    }
    static any(signals) {
        const signal = new AbortSignal(creation);
        for (const source of signals) {
            if (source.#aborted) {
                abortSignal(signal, source.#reason);
                return signal;
            }
        }
        for (const source of signals) {
            append(source.#actions, () => abortSignal(signal, source.#reason));
        }
        return signal;
    }
    static internals = {
        __proto__: null,
        abort(signal, reason) {
            if (signal.#aborted) return;
            signal.#aborted = true;
            signal.#reason = reason === undefined
                ? new $DOMException("The operation was aborted.", "AbortError") : reason;
            const actions = signal.#actions;
            signal.#actions = [];
            for (let index = 0; index < actions.length; index++) actions[index]();
            dispatchTo(signal, new Event("abort"));
        },
        isAborted: (signal) => signal.#aborted,
        reasonOf: (signal) => signal.#reason,
        whenAborted(signal, action) { append(signal.#actions, action); },
        isSignal: (value) => isObject(value) && #actions in value,
    };
}
const { abort: abortSignal, isAborted, reasonOf, whenAborted, isSignal } = AbortSignal.internals;
delete AbortSignal.internals;
addHandlers(AbortSignal.prototype, ["abort"]);

class AbortController {
    #signal = new AbortSignal(creation);
    get signal() { return this.#signal; }
    abort(reason) { abortSignal(this.#signal, reason); }
    static signalOf(controller) { return controller.#signal; }
}
const signalOfController = AbortController.signalOf;
delete AbortController.signalOf;

define("DOMException", DOMException);
define("Event", Event);
define("CustomEvent", CustomEvent);
define("ErrorEvent", ErrorEvent);
define("PromiseRejectionEvent", PromiseRejectionEvent);
define("EventTarget", EventTarget);
define("addEventListener", EventTarget.prototype.addEventListener);
define("removeEventListener", EventTarget.prototype.removeEventListener);
define("dispatchEvent", EventTarget.prototype.dispatchEvent);
addHandlers(globalObject, [
    "afterprint", "beforeprint", "beforeunload", "blur", "error", "focus", "hashchange", "load",
    "message", "offline", "online", "pagehide", "pageshow", "popstate", "resize", "scroll",
    "storage", "unhandledrejection", "unload",
]);
define("AbortSignal", AbortSignal);
define("AbortController", AbortController);
