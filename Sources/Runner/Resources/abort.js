// AbortSignal and AbortController, after https://dom.spec.whatwg.org/#aborting-ongoing-activities.
const creation = $Symbol("creation");

class AbortSignal extends EventTarget {
    #aborted = false; #reason = undefined; #actions = new $Set();
    // A signal of `any` aborts with its sources, each of which aborts on its own. A source can live much longer
    // than its dependents: it refers to them weakly, and holds only those whose abort somebody waits for.
    #isDependent = false; #sources = []; #dependents = new $Set(); #held = new $Set(); #limit = 64;
    #reference = null; #isListened = false;
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
        if (arguments.length === 0) throw new $TypeError("the number of milliseconds is missing");
        const wait = trunc(+milliseconds);
        if (!(wait >= 0 && wait <= $Number.MAX_SAFE_INTEGER)) {
            throw new $TypeError("the number of milliseconds is out of range");
        }
        const signal = new AbortSignal(creation);
        startTimer(() => {
            abortSignal(signal, new $DOMException("The operation timed out.", "TimeoutError"));
        }, [], wait, false, true);
        return signal;
    }
    static any(signals) {
        const all = [];
        for (const source of signals) {
            if (!isSignal(source)) throw new $TypeError("the list has a member that is not an AbortSignal");
            append(all, source);
        }
        const signal = new AbortSignal(creation);
        for (let index = 0; index < all.length; index++) {
            if (!all[index].#aborted) continue;
            signal.#aborted = true;
            signal.#reason = all[index].#reason;
            return signal;
        }
        signal.#isDependent = true;
        for (let index = 0; index < all.length; index++) {
            const source = all[index];
            if (!source.#isDependent) AbortSignal.#depend(signal, source);
            for (let at = 0; at < source.#sources.length; at++) AbortSignal.#depend(signal, source.#sources[at]);
        }
        return signal;
    }
    static #depend(signal, source) {
        append(signal.#sources, source);
        signal.#reference ??= new $WeakRef(signal);
        setAdd(source.#dependents, signal.#reference);
        if (setSize(source.#dependents) < source.#limit) return;
        setEach(source.#dependents, (reference) => {
            if (dereference(reference) === undefined) setDelete(source.#dependents, reference);
        });
        source.#limit = max(64, 2 * setSize(source.#dependents));
    }
    static #hold(signal) {
        for (let index = 0; index < signal.#sources.length; index++) setAdd(signal.#sources[index].#held, signal);
    }
    static #release(signal) {
        if (signal.#isListened || setSize(signal.#actions) > 0) return;
        for (let index = 0; index < signal.#sources.length; index++) setDelete(signal.#sources[index].#held, signal);
    }
    #run() {
        const actions = this.#actions;
        this.#actions = new $Set();
        setEach(actions, (action) => { action(); });
        dispatchTo(this, new Event("abort"));
    }
    static internals = {
        __proto__: null,
        abort(signal, reason) {
            if (signal.#aborted) return;
            signal.#aborted = true;
            signal.#reason = reason === undefined
                ? new $DOMException("The operation was aborted.", "AbortError") : reason;
            const dependents = [];
            setEach(signal.#dependents, (reference) => {
                const dependent = dereference(reference);
                if (dependent === undefined || dependent.#aborted) return;
                dependent.#aborted = true;
                dependent.#reason = signal.#reason;
                append(dependents, dependent);
            });
            signal.#dependents = new $Set();
            signal.#held = new $Set();
            signal.#run();
            for (let index = 0; index < dependents.length; index++) dependents[index].#run();
        },
        isAborted: (signal) => signal.#aborted,
        reasonOf: (signal) => signal.#reason,
        // Returns a function that forgets the action.
        whenAborted(signal, action) {
            setAdd(signal.#actions, action);
            AbortSignal.#hold(signal);
            return () => {
                setDelete(signal.#actions, action);
                AbortSignal.#release(signal);
            };
        },
        // An app listens to the signal, from now on.
        listen(signal) {
            signal.#isListened = true;
            AbortSignal.#hold(signal);
        },
        isSignal: (value) => isObject(value) && #actions in value,
    };
}
const { abort: abortSignal, isAborted, listen: listenToSignal, reasonOf, whenAborted, isSignal } = AbortSignal.internals;
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

define("AbortSignal", AbortSignal);
define("AbortController", AbortController);
finishClass(AbortSignal, "AbortSignal");
finishClass(AbortController, "AbortController");
