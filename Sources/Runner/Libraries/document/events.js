// Makes domino's nodes targets of the runner's events, which also reach the window.
import Document from "domino/lib/Document";
import EventTarget from "domino/lib/EventTarget";
import Node from "domino/lib/Node";
import htmlElements from "domino/lib/htmlelts";
import utils from "domino/lib/utils";

// Handlers that are set on `body` and belong to the window.
const windowTypes = new Set([
    "afterprint", "beforeprint", "beforeunload", "blur", "error", "focus", "hashchange", "load",
    "message", "offline", "online", "pagehide", "pageshow", "popstate", "resize", "scroll",
    "storage", "unload",
]);

export function install(bridge) {
    const { global, Event, EventTarget: Target } = bridge;
    for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"]) {
        EventTarget.prototype[name] = Target.prototype[name];
    }
    EventTarget.prototype._dispatchEvent = function (event) { return this.dispatchEvent(event); };
    EventTarget.prototype._getEventHandler = function (type) { return bridge.handlerOf(this, type); };
    EventTarget.prototype._setEventHandler = function (type, callback) {
        bridge.setHandler(this, type, callback);
    };
    const body = htmlElements.elements.HTMLBodyElement.prototype;
    body._getEventHandler = function (type) {
        return bridge.handlerOf(windowTypes.has(type) ? global : this, type);
    };
    body._setEventHandler = function (type, callback) {
        bridge.setHandler(windowTypes.has(type) ? global : this, type, callback);
    };
    // An event bubbles up the tree and then to the window, except `load`.
    bridge.setParentOf((target, event) => {
        if (!(target instanceof Node)) return null;
        if (target.parentNode !== null && target.parentNode !== undefined) return target.parentNode;
        const isOurs = target.nodeType === 9 && target.defaultView === global;
        return isOurs && event.type !== "load" ? global : null;
    });

    class UIEvent extends Event {
        constructor(type, options = {}) {
            super(type, options);
            this.view = options.view ?? null;
            this.detail = options.detail ?? 0;
        }
        initUIEvent(type, bubbles, cancelable, view = null, detail = 0) {
            this.initEvent(type, bubbles, cancelable);
            this.view = view;
            this.detail = detail;
        }
    }
    class MouseEvent extends UIEvent {
        constructor(type, options = {}) {
            super(type, options);
            for (const name of ["screenX", "screenY", "clientX", "clientY", "pageX", "pageY", "button", "buttons"]) {
                this[name] = options[name] ?? 0;
            }
            for (const name of ["ctrlKey", "shiftKey", "altKey", "metaKey"]) this[name] = !!options[name];
            this.relatedTarget = options.relatedTarget ?? null;
        }
        initMouseEvent(type, bubbles, cancelable, view, detail) {
            this.initUIEvent(type, bubbles, cancelable, view, detail);
        }
    }
    class KeyboardEvent extends UIEvent {
        constructor(type, options = {}) {
            super(type, options);
            this.key = options.key ?? "";
            this.code = options.code ?? "";
            this.keyCode = this.which = options.keyCode ?? 0;
            for (const name of ["ctrlKey", "shiftKey", "altKey", "metaKey"]) this[name] = !!options[name];
        }
    }
    class InputEvent extends UIEvent {}
    class FocusEvent extends UIEvent {}
    class HashChangeEvent extends Event {}
    bridge.events = { UIEvent, MouseEvent, KeyboardEvent, InputEvent, FocusEvent, HashChangeEvent };
    const made = {
        event: Event, events: Event, htmlevents: Event, customevent: bridge.CustomEvent,
        uievent: UIEvent, uievents: UIEvent, mouseevent: MouseEvent, mouseevents: MouseEvent,
        keyboardevent: KeyboardEvent, keyevents: KeyboardEvent,
    };
    Object.defineProperty(Document.prototype, "createEvent", {
        configurable: true, writable: true,
        value: function createEvent(name) {
            const Made = made[String(name).toLowerCase()];
            if (Made === undefined) utils.NotSupportedError();
            return new Made("");
        },
    });
    // Domino's own exceptions require another engine.
    for (const name of Object.keys(utils)) {
        if (!/^[A-Z]\w*Error$/.test(name)) continue;
        utils[name] = (detail) => {
            throw new bridge.DOMException(detail ?? `the document does not allow this (${name})`, name);
        };
    }
}
