// DOMException, Event, EventTarget, AbortController.
const exceptionCodes = {
    __proto__: null, InvalidCharacterError: 5, NotSupportedError: 9, InvalidStateError: 11,
    SyntaxError: 12, InvalidAccessError: 15, SecurityError: 18, NetworkError: 19, AbortError: 20, QuotaExceededError: 22, TimeoutError: 23,
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
}
const $DOMException = DOMException;

class Event {
    #type; #cancelable; #bubbles;
    #target = null; #current = null; #prevented = false; #stopped = false; #halted = false;
    #time = host.now();
    constructor(type, options = {}) {
        this.#type = text(type);
        this.#cancelable = !!options?.cancelable;
        this.#bubbles = !!options?.bubbles;
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#current; }
    get cancelable() { return this.#cancelable; }
    get bubbles() { return this.#bubbles; }
    get composed() { return false; }
    get isTrusted() { return false; }
    get timeStamp() { return this.#time; }
    get eventPhase() { return this.#current === null ? 0 : 2; }
    get defaultPrevented() { return this.#prevented; }
    composedPath() { return this.#current === null ? [] : [this.#current]; }
    preventDefault() { if (this.#cancelable) this.#prevented = true; }
    stopPropagation() { this.#stopped = true; }
    stopImmediatePropagation() { this.#stopped = this.#halted = true; }
    static at(event, target) {
        event.#target = target ?? event.#target;
        event.#current = target;
        if (target !== null) event.#halted = false;
    }
    static typeOf(event) { return event.#type; }
    static isHalted(event) { return event.#halted; }
    static isPrevented(event) { return event.#prevented; }
}
const { at: eventAt, typeOf: eventType, isHalted, isPrevented } = Event;
delete Event.at;
delete Event.typeOf;
delete Event.isHalted;
delete Event.isPrevented;

class CustomEvent extends Event {
    #detail;
    constructor(type, options = {}) {
        super(type, options);
        this.#detail = options?.detail ?? null;
    }
    get detail() { return this.#detail; }
}

class EventTarget {
    #listeners = [];
    addEventListener(type, callback, options) {
        if (callback === null || callback === undefined) return;
        if (!isObject(callback)) throw new $TypeError("the listener is not a function");
        const once = isObject(options) && !!options.once;
        const capture = isObject(options) ? !!options.capture : !!options;
        const signal = isObject(options) ? options.signal : undefined;
        const kind = text(type);
        if (signal !== undefined && isAborted(signal)) return;
        if (this.#find(kind, callback, capture) >= 0) return;
        append(this.#listeners, { kind, callback, once, capture, isRemoved: false });
        if (signal !== undefined) {
            whenAborted(signal, () => EventTarget.#remove(this, kind, callback, capture));
        }
    }
    removeEventListener(type, callback, options) {
        const capture = isObject(options) ? !!options.capture : !!options;
        EventTarget.#remove(this, text(type), callback, capture);
    }
    dispatchEvent(event) { return dispatchTo(this, event); }
    #find(kind, callback, capture) {
        for (let index = 0; index < this.#listeners.length; index++) {
            const entry = this.#listeners[index];
            if (entry.kind === kind && entry.callback === callback && entry.capture === capture) {
                return index;
            }
        }
        return -1;
    }
    static #remove(target, kind, callback, capture) {
        const index = target.#find(kind, callback, capture);
        if (index < 0) return;
        target.#listeners[index].isRemoved = true;
        const rest = [];
        for (let at = 0; at < target.#listeners.length; at++) {
            if (at !== index) append(rest, target.#listeners[at]);
        }
        target.#listeners = rest;
    }
    static dispatch(target, event) {
        const kind = eventType(event), listeners = target.#listeners;
        eventAt(event, target);
        const size = listeners.length;
        for (let index = 0; index < size && !isHalted(event); index++) {
            const entry = listeners[index];
            if (entry.kind !== kind || entry.isRemoved) continue;
            if (entry.once) EventTarget.#remove(target, kind, entry.callback, entry.capture);
            if (typeof entry.callback === "function") {
                callApp(entry.callback, target, [event]);
            } else {
                callApp(() => entry.callback.handleEvent(event), undefined, []);
            }
        }
        eventAt(event, null);
        return !isPrevented(event);
    }
}
const dispatchTo = EventTarget.dispatch;
delete EventTarget.dispatch;

const creation = $Symbol("creation");

class AbortSignal extends EventTarget {
    #aborted = false; #reason = undefined; #actions = []; #onabort = null;
    constructor(key) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        super();
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    get onabort() { return this.#onabort; }
    set onabort(callback) { this.#onabort = typeof callback === "function" ? callback : null; }
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
            const event = new Event("abort");
            if (signal.#onabort !== null) callApp(signal.#onabort, signal, [event]);
            dispatchTo(signal, event);
        },
        isAborted: (signal) => signal.#aborted,
        reasonOf: (signal) => signal.#reason,
        whenAborted(signal, action) { append(signal.#actions, action); },
        isSignal: (value) => isObject(value) && #actions in value,
    };
}
const { abort: abortSignal, isAborted, reasonOf, whenAborted, isSignal } = AbortSignal.internals;
delete AbortSignal.internals;

class AbortController {
    #signal = new AbortSignal(creation);
    get signal() { return this.#signal; }
    abort(reason) { abortSignal(this.#signal, reason); }
}

define("DOMException", DOMException);
define("Event", Event);
define("CustomEvent", CustomEvent);
define("EventTarget", EventTarget);
define("AbortSignal", AbortSignal);
define("AbortController", AbortController);
