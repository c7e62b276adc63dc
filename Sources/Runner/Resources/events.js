// DOMException and the classes of events, after https://dom.spec.whatwg.org/#events.
const exceptionCodes = { __proto__: null };

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
{
    // The names of errors with a legacy code, which is their position; empty codes are not in use any more.
    const names = [
        "IndexSize", "", "HierarchyRequest", "WrongDocument", "InvalidCharacter", "",
        "NoModificationAllowed", "NotFound", "NotSupported", "InUseAttribute", "InvalidState", "Syntax",
        "InvalidModification", "Namespace", "InvalidAccess", "", "TypeMismatch", "Security", "Network", "Abort",
        "URLMismatch", "QuotaExceeded", "Timeout", "InvalidNodeType", "DataClone",
    ];
    const constants = [
        "INDEX_SIZE", "DOMSTRING_SIZE", "HIERARCHY_REQUEST", "WRONG_DOCUMENT", "INVALID_CHARACTER",
        "NO_DATA_ALLOWED", "NO_MODIFICATION_ALLOWED", "NOT_FOUND", "NOT_SUPPORTED", "INUSE_ATTRIBUTE",
        "INVALID_STATE", "SYNTAX", "INVALID_MODIFICATION", "NAMESPACE", "INVALID_ACCESS", "VALIDATION",
        "TYPE_MISMATCH", "SECURITY", "NETWORK", "ABORT", "URL_MISMATCH", "QUOTA_EXCEEDED", "TIMEOUT",
        "INVALID_NODE_TYPE", "DATA_CLONE",
    ];
    for (let index = 0; index < names.length; index++) {
        if (names[index] !== "") exceptionCodes[`${names[index]}Error`] = index + 1;
        const constant = { __proto__: null, value: index + 1, enumerable: true };
        setProperty(DOMException, `${constants[index]}_ERR`, constant);
        setProperty(DOMException.prototype, `${constants[index]}_ERR`, constant);
    }
}

// What `Object.prototype.toString` shows of the instances of a class.
function tag(constructor) {
    setProperty(constructor.prototype, toStringTag, {
        __proto__: null, value: constructor.name, configurable: true,
    });
}

// A dictionary of options as Web IDL converts it: missing values are an empty one.
function asDictionary(options) {
    if (options === undefined || options === null) return { __proto__: null };
    if (!isObject(options)) throw new $TypeError("the options are not an object");
    return options;
}

function needType(count) {
    if (count === 0) throw new $TypeError("the type of the event is missing");
}

// The targets of a route that its current target may see, after https://dom.spec.whatwg.org/#dom-event-composedpath.
function visiblePath(steps, current) {
    let start = steps.length - 1, level = 0;
    for (; start >= 0; start--) {
        if (steps[start].isRootOfClosed) level++;
        if (steps[start].target === current) break;
        if (steps[start].isSlotInClosed) level--;
    }
    const before = [], path = [];
    let own = level, most = level;
    for (let index = start - 1; index >= 0; index--) {
        if (steps[index].isRootOfClosed) own++;
        if (own <= most) append(before, steps[index].target);
        if (steps[index].isSlotInClosed && --own < most) most = own;
    }
    for (let index = before.length - 1; index >= 0; index--) append(path, before[index]);
    append(path, current);
    own = most = level;
    for (let index = start + 1; index < steps.length; index++) {
        if (steps[index].isSlotInClosed) own++;
        if (own <= most) append(path, steps[index].target);
        if (steps[index].isRootOfClosed && --own < most) most = own;
    }
    return path;
}

class Event {
    #type; #cancelable; #bubbles; #composed;
    #target = null; #current = null; #phase = 0; #path = []; #steps = null;
    #prevented = false; #stopped = false; #halted = false; #isUnderWay = false;
    #isInitialized = true; #isTrusted = false; #isPassive = false; #hasThrown = false;
    // Not finer than 5 microseconds, as https://w3c.github.io/hr-time/#dfn-coarsen-time has it.
    #time = floor(host.now() * 200) / 200;
    static #trusted = getOwnPropertyDescriptor({ get isTrusted() { return this.#isTrusted; } }, "isTrusted").get;
    constructor(type, options) {
        needType(arguments.length);
        const given = asDictionary(options);
        this.#type = text(type);
        this.#bubbles = !!given.bubbles;
        this.#cancelable = !!given.cancelable;
        this.#composed = !!given.composed;
        setProperty(this, "isTrusted", {
            __proto__: null, get: Event.#trusted, set: undefined, enumerable: true, configurable: false,
        });
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#current; }
    get cancelable() { return this.#cancelable; }
    get bubbles() { return this.#bubbles; }
    get composed() { return this.#composed; }
    get timeStamp() { return this.#time; }
    get eventPhase() { return this.#phase; }
    get defaultPrevented() { return this.#prevented; }
    get returnValue() { return !this.#prevented; }
    set returnValue(value) { if (!value) this.preventDefault(); }
    get cancelBubble() { return this.#stopped; }
    set cancelBubble(value) { if (value) this.#stopped = true; }
    composedPath() {
        const path = [];
        if (this.#steps !== null) return visiblePath(this.#steps, this.#current);
        for (let index = 0; index < this.#path.length; index++) append(path, this.#path[index]);
        return path;
    }
    preventDefault() { if (this.#cancelable && !this.#isPassive) this.#prevented = true; }
    stopPropagation() { this.#stopped = true; }
    stopImmediatePropagation() { this.#stopped = this.#halted = true; }
    initEvent(type, bubbles = false, cancelable = false) {
        needType(arguments.length);
        const kind = text(type);
        if (this.#isUnderWay) return;
        this.#isInitialized = true;
        this.#type = kind;
        this.#bubbles = !!bubbles;
        this.#cancelable = !!cancelable;
        this.#prevented = this.#stopped = this.#halted = this.#isTrusted = false;
        this.#target = null;
    }
    static internals = {
        __proto__: null,
        // Throws unless the event can be dispatched now.
        check(event) {
            if (!isObject(event) || !(#type in event)) throw new $TypeError("the argument is not an Event");
            if (event.#isUnderWay || !event.#isInitialized) {
                throw new $DOMException(event.#isUnderWay ? "the event is already being dispatched"
                    : "the event was not initialized", "InvalidStateError");
            }
        },
        begin(event, target, isTrusted) {
            event.#isUnderWay = true;
            event.#isTrusted = isTrusted;
            event.#target = target;
        },
        travel(event, path) { event.#path = path; },
        route(event, steps) { event.#steps = steps; },
        aim(event, target) { event.#target = target; },
        enter(event, current, phase) {
            event.#current = current;
            event.#phase = phase;
        },
        finish(event) {
            event.#isUnderWay = event.#stopped = event.#halted = false;
            event.#current = null;
            event.#phase = 0;
            event.#path = [];
            event.#steps = null;
        },
        typeOf: (event) => event.#type,
        rename(event, type) { event.#type = type; },
        isOfHost: (event) => event.#isTrusted,
        bubbles: (event) => event.#bubbles,
        isStopped: (event) => event.#stopped,
        isHalted: (event) => event.#halted,
        isPrevented: (event) => event.#prevented,
        isUnderWay: (event) => event.#isUnderWay,
        noteThrown(event) { event.#hasThrown = true; },
        hasThrown: (event) => event.#hasThrown,
        setPassive(event, isPassive) { event.#isPassive = isPassive; },
        // An event of `document.createEvent`.
        leaveUninitialized(event) { event.#isInitialized = false; },
        prevent(event) { if (event.#cancelable && !event.#isPassive) event.#prevented = true; },
    };
}
const {
    check: checkEvent, begin: beginEvent, travel: setPath, route: setRoute, aim: setTarget, enter: enterEvent, finish: finishEvent, typeOf: eventType, rename: renameEvent, isOfHost,
    bubbles: eventBubbles, isStopped, isHalted, isPrevented, setPassive, leaveUninitialized, isUnderWay,
    noteThrown, hasThrown,
    prevent: preventEvent,
} = Event.internals;
delete Event.internals;
addConstants(Event, ["NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"]);

class CustomEvent extends Event {
    #detail;
    constructor(type, options) {
        needType(arguments.length);
        super(type, options);
        this.#detail = asDictionary(options).detail ?? null;
    }
    get detail() { return this.#detail; }
    initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
        needType(arguments.length);
        if (isUnderWay(this)) return;
        this.initEvent(type, bubbles, cancelable);
        this.#detail = detail;
    }
}

class ErrorEvent extends Event {
    #options;
    constructor(type, options) {
        needType(arguments.length);
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
        needType(arguments.length);
        super(type, options);
        this.#promise = options?.promise;
        this.#reason = options?.reason;
    }
    get promise() { return this.#promise; }
    get reason() { return this.#reason; }
}

define("DOMException", DOMException);
define("Event", Event);
define("CustomEvent", CustomEvent);
define("ErrorEvent", ErrorEvent);
define("PromiseRejectionEvent", PromiseRejectionEvent);
tag(DOMException);
finishClass(Event, "Event");
finishClass(CustomEvent, "CustomEvent");
finishClass(ErrorEvent, "ErrorEvent");
finishClass(PromiseRejectionEvent, "PromiseRejectionEvent");
