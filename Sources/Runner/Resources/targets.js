// EventTarget: listeners, dispatch and event handler attributes, after https://dom.spec.whatwg.org/#dispatching-events.
// The listeners of each target: `entries` in order, and how many dispatches are reading them. Any object can be a
// target, including the global object and the nodes of a page.
const listenersOf = new $WeakMap();
// What the document adds: the next target on an event's path, its whole route where there are shadow trees, whether listeners of a type are passive
// unless they say otherwise, what a click does, and how the console shows its nodes.
const hooks = {
    __proto__: null, parentOf: () => null, routeOf: () => null, setRelated() {}, isPassive: () => false, activates: () => false,
    before: () => undefined, cancelled() {}, after() {}, textOf: () => undefined,
};
// The parent of a target that is no node; null for others.
let otherParent = () => null;
function setParents(parent) { otherParent = parent; }
const parentOf = (target, event) => otherParent(target) ?? hooks.parentOf(target, event);
// The event that is being dispatched, for `window.event`.
let currentEvent;

function findListener(list, kind, callback, capture) {
    for (let index = 0; index < list.length; index++) {
        const entry = list[index];
        if (entry.kind === kind && entry.callback === callback && entry.capture === capture && !entry.isRemoved) {
            return index;
        }
    }
    return -1;
}

const captures = (options) => (isObject(options) ? !!options.capture : !!options);

function addListener(target, type, callback, options) {
    const kind = text(type), capture = captures(options);
    let once = false, passive, signal;
    if (isObject(options)) {
        once = !!options.once;
        passive = options.passive === undefined ? undefined : !!options.passive;
        signal = options.signal;
        if (signal !== undefined && !isSignal(signal)) throw new $TypeError("the signal is not an AbortSignal");
    }
    if (callback === null || callback === undefined) return;
    if (!isObject(callback)) throw new $TypeError("the listener is not a function");
    if (signal !== undefined && isAborted(signal)) return;
    const list = weakGet(listenersOf, target) ?? { __proto__: null, entries: [], readers: 0, hasRemoved: false };
    if (findListener(list.entries, kind, callback, capture) >= 0) return;
    const entry = {
        __proto__: null, kind, callback, once, capture, isRemoved: false, forget: null,
        passive: passive ?? hooks.isPassive(target, kind),
    };
    append(list.entries, entry);
    weakSet(listenersOf, target, list);
    if (isSignal(target)) listenToSignal(target);
    if (signal !== undefined) {
        entry.forget = whenAborted(signal, () => removeListener(target, kind, callback, capture));
    }
}

function removeListener(target, kind, callback, capture) {
    const list = weakGet(listenersOf, target);
    if (list === undefined) return;
    const index = findListener(list.entries, kind, callback, capture);
    if (index < 0) return;
    retire(list.entries[index]);
    if (list.readers > 0) list.hasRemoved = true;
    else arraySplice(list.entries, index, 1);
}

// Its signal does not have to remove it any more.
function retire(entry) {
    entry.isRemoved = true;
    if (entry.forget !== null) entry.forget();
}

// Takes out what was removed while the listeners were being called.
function dropRemoved(list) {
    if (!list.hasRemoved) return;
    list.hasRemoved = false;
    const rest = [];
    for (let index = 0; index < list.entries.length; index++) {
        if (!list.entries[index].isRemoved) append(rest, list.entries[index]);
    }
    list.entries = rest;
}

function hasListener(target, kind) {
    const entries = weakGet(listenersOf, target)?.entries ?? [];
    for (let index = 0; index < entries.length; index++) {
        if (entries[index].kind === kind && !entries[index].isRemoved) return true;
    }
    return false;
}

function callListener(callback, target, event) {
    try {
        if (typeof callback === "function") return apply(callback, target, [event]);
        const handle = callback.handleEvent;
        if (typeof handle !== "function") throw new $TypeError("the listener has no function `handleEvent`");
        apply(handle, callback, [event]);
    } catch (error) {
        noteThrown(event);
        reportUncaught(error);
    }
}

// An exception of a listener is reported, and the next one is called.
function callListeners(target, event, phase, capture, isInShadow = false) {
    const list = weakGet(listenersOf, target), kind = eventType(event);
    if (isStopped(event)) return;
    enterEvent(event, target, phase);
    if (list === undefined) return;
    const { entries } = list, size = entries.length;
    let isFound = false;
    list.readers++;
    try {
        for (let index = 0; index < size && !isHalted(event); index++) {
            const entry = entries[index];
            if (entry.kind !== kind || entry.isRemoved) continue;
            isFound = true;
            if (entry.capture !== capture) continue;
            if (entry.once) {
                retire(entry);
                list.hasRemoved = true;
            }
            const before = currentEvent;
            currentEvent = isInShadow ? undefined : event;
            if (entry.passive) setPassive(event, true);
            callListener(entry.callback, target, event);
            setPassive(event, false);
            currentEvent = before;
        }
    } finally {
        if (--list.readers === 0) dropRemoved(list);
    }
    const older = olderTypes[kind];
    if (isFound || older === undefined || !isOfHost(event)) return;
    renameEvent(event, older);
    try {
        callListeners(target, event, phase, capture, isInShadow);
    } finally {
        renameEvent(event, kind);
    }
}

// Dispatches an event of the host; those of the app are not trusted.
function dispatchTo(target, event, isTrusted = true) {
    beginEvent(event, target, isTrusted);
    const route = hooks.routeOf(target, event);
    if (route !== null) return dispatchAlong(route, event);
    const path = [target];
    let activated = hooks.activates(target, event) ? target : null;
    for (let at = parentOf(target, event); at !== null; at = parentOf(at, event)) {
        append(path, at);
        if (activated === null && eventBubbles(event) && hooks.activates(at, event)) activated = at;
    }
    setPath(event, path);
    const state = activated === null ? undefined : hooks.before(activated, event);
    for (let index = path.length - 1; index >= 0; index--) {
        callListeners(path[index], event, index === 0 ? 2 : 1, true);
    }
    callListeners(target, event, 2, false);
    for (let index = 1; index < path.length && eventBubbles(event); index++) {
        callListeners(path[index], event, 3, false);
    }
    finishEvent(event);
    const isCancelled = isPrevented(event);
    if (activated !== null) {
        if (isCancelled) hooks.cancelled(activated, event, state);
        else hooks.after(activated, event, state);
    }
    return !isCancelled;
}

// Each step has the target as its tree sees it, or null where that is the one of the step before.
function dispatchAlong({ steps, activated, isCleared }, event) {
    const state = activated === null ? undefined : hooks.before(activated, event);
    setRoute(event, steps);
    const call = (index, capture) => {
        const step = steps[index];
        let at = index;
        while (steps[at].adjusted === null) at--;
        setTarget(event, steps[at].adjusted);
        hooks.setRelated(event, step.related);
        callListeners(step.target, event, step.adjusted !== null ? 2 : capture ? 1 : 3, capture, step.isInShadow);
    };
    for (let index = steps.length - 1; index >= 0; index--) call(index, true);
    for (let index = 0; index < steps.length; index++) {
        if (steps[index].adjusted !== null || eventBubbles(event)) call(index, false);
    }
    finishEvent(event);
    if (isCleared) {
        setTarget(event, null);
        hooks.setRelated(event, null);
    }
    const isCancelled = isPrevented(event);
    if (activated !== null) {
        if (isCancelled) hooks.cancelled(activated, event, state);
        else hooks.after(activated, event, state);
    }
    return !isCancelled;
}

class EventTarget {
    addEventListener(type, callback, options) {
        if (arguments.length < 2) throw new $TypeError("addEventListener needs a type and a listener");
        addListener(this ?? globalObject, type, callback, options);
    }
    removeEventListener(type, callback, options) {
        if (arguments.length < 2) throw new $TypeError("removeEventListener needs a type and a listener");
        removeListener(this ?? globalObject, text(type), callback, captures(options));
    }
    dispatchEvent(event) {
        checkEvent(event);
        return dispatchTo(this ?? globalObject, event, false);
    }
}

// Event handler attributes such as `onload`: each keeps its position among the listeners from when it
// was set until it is removed. A handler can be compiled when it is first needed.
const handlersOf = new $WeakMap();

function handlerOf(target, type) {
    const entry = (weakGet(handlersOf, target) ?? { __proto__: null })[type];
    if (entry === undefined) return null;
    if (entry.compile !== null) {
        const { compile } = entry;
        entry.compile = null;
        entry.callback = callApp(compile, undefined, []) ?? null;
    }
    return entry.callback;
}

function setHandler(target, type, value, compile = null) {
    const callback = isObject(value) ? value : null;
    let handlers = weakGet(handlersOf, target);
    if (handlers === undefined) weakSet(handlersOf, target, handlers = { __proto__: null });
    const known = handlers[type];
    if (callback === null && compile === null) {
        if (known === undefined) return;
        removeListener(target, type, known.listener, false);
        delete handlers[type];
        return;
    }
    if (known !== undefined) {
        known.callback = callback;
        known.compile = compile;
        return;
    }
    const listener = function (event) {
        const handler = handlerOf(target, type);
        if (typeof handler !== "function") return;
        const isError = type === "error" && this === globalObject && event instanceof ErrorEvent;
        const result = apply(handler, this, isError
            ? [event.message, event.filename, event.lineno, event.colno, event.error] : [event]);
        if (result === (isError ? true : false)) preventEvent(event);
    };
    handlers[type] = { __proto__: null, callback, compile, listener };
    addListener(target, type, listener);
}

// Events that have an older name, under which they are dispatched again if there is no listener for the present name.
const olderTypes = {
    __proto__: null, animationend: "webkitAnimationEnd", animationiteration: "webkitAnimationIteration",
    animationstart: "webkitAnimationStart", transitionend: "webkitTransitionEnd",
};
const handlerTypes = { __proto__: null };
for (const type in olderTypes) handlerTypes[lower(olderTypes[type])] = olderTypes[type];

function addHandlers(prototype, types) {
    for (let index = 0; index < types.length; index++) {
        const name = types[index], type = handlerTypes[name] ?? name;
        setProperty(prototype, `on${name}`, {
            __proto__: null, enumerable: true, configurable: true,
            get() { return handlerOf(this ?? globalObject, type); },
            set(value) { setHandler(this ?? globalObject, type, value); },
        });
    }
}

define("EventTarget", EventTarget);
finishClass(EventTarget, "EventTarget");
setProperty(globalObject, "event", {
    __proto__: null, enumerable: true, configurable: true,
    get() { return currentEvent; },
    set(value) {
        setProperty(globalObject, "event", {
            __proto__: null, value, writable: true, enumerable: true, configurable: true,
        });
    },
});
define("addEventListener", EventTarget.prototype.addEventListener);
define("removeEventListener", EventTarget.prototype.removeEventListener);
define("dispatchEvent", EventTarget.prototype.dispatchEvent);
addHandlers(globalObject, [
    "afterprint", "beforeprint", "beforeunload", "blur", "error", "focus", "hashchange", "load",
    "message", "offline", "online", "pagehide", "pageshow", "popstate", "resize", "scroll",
    "storage", "unhandledrejection", "unload",
]);
