// Makes domino's nodes targets of the runner's events, which also reach the window, and their attributes
// event handlers.
import Document from "domino/lib/Document";
import Element from "domino/lib/Element";
import EventTarget from "domino/lib/EventTarget";
import Node from "domino/lib/Node";
import { elements } from "domino/lib/htmlelts";
import sloppy from "domino/lib/sloppy";
import utils from "domino/lib/utils";
import { eventTypes } from "./event-types.js";

// Handlers that are set on `body` or `frameset` and belong to the window: those of every target, and the
// window's own.
const forwarded = ["blur", "error", "focus", "load", "resize", "scroll"];
const windowTypes = [
    "afterprint", "beforeprint", "beforeunload", "hashchange", "languagechange", "message", "messageerror",
    "offline", "online", "pagehide", "pageshow", "popstate", "rejectionhandled", "storage", "unhandledrejection",
    "unload",
];
const globalTypes = [
    "abort", "auxclick", "beforeinput", "beforematch", "beforetoggle", "blur", "cancel", "canplay", "canplaythrough",
    "change", "click", "close", "contextlost", "contextmenu", "contextrestored", "copy", "cuechange", "cut",
    "dblclick", "drag", "dragend", "dragenter", "dragleave", "dragover", "dragstart", "drop", "durationchange",
    "emptied", "ended", "error", "focus", "formdata", "input", "invalid", "keydown", "keypress", "keyup", "load",
    "loadeddata", "loadedmetadata", "loadstart", "mousedown", "mouseenter", "mouseleave", "mousemove", "mouseout",
    "mouseover", "mouseup", "mousewheel", "paste", "pause", "play", "playing", "progress", "ratechange", "reset",
    "resize", "scroll", "scrollend", "securitypolicyviolation", "seeked", "seeking", "select", "selectionchange",
    "slotchange", "stalled", "submit", "suspend", "timeupdate", "toggle", "touchcancel", "touchend", "touchmove",
    "touchstart", "volumechange", "waiting", "webkitanimationend", "webkitanimationiteration",
    "webkitanimationstart", "webkittransitionend", "wheel", "animationend", "animationiteration", "animationstart",
    "transitioncancel", "transitionend", "transitionrun", "transitionstart", "pointercancel", "pointerdown",
    "pointerenter", "pointerleave", "pointermove", "pointerout", "pointerover", "pointerup", "gotpointercapture",
    "lostpointercapture",
];
// Types of older events, whose handlers have names in lower case.
const olderNames = new Map(["webkitAnimationEnd", "webkitAnimationIteration", "webkitAnimationStart", "webkitTransitionEnd"]
    .map((type) => [type.toLowerCase(), type]));
// Listeners to these events make the page compare its styles after each change.
const animationTypes = new Set([
    "animationstart", "animationiteration", "animationend", "transitionrun", "transitionstart", "transitionend", "transitioncancel",
    ...olderNames.values(),
]);
const passiveTypes = new Set(["touchstart", "touchmove", "wheel", "mousewheel"]);

// A handler from an attribute. The function sees the members of its element, form and document.
function compile(element, type, body) {
    const builder = {
        body, element,
        document: element.ownerDocument ?? {}, form: element.form ?? {},
    };
    return sloppy.EventHandlerBuilder_build.call(builder);
}

function installHandlers(bridge) {
    const { global } = bridge;
    const types = new Set([...globalTypes, ...windowTypes]);
    bridge.addHandlers(global, globalTypes.filter((type) => !(`on${type}` in global)));
    bridge.addHandlers(global, windowTypes.filter((type) => !(`on${type}` in global)));
    for (const { prototype } of [Element, Document]) bridge.addHandlers(prototype, globalTypes);
    bridge.addHandlers(Document.prototype, ["readystatechange", "visibilitychange"]);
    for (const { prototype } of Object.values(elements)) {
        for (const name of Object.keys(prototype)) {
            if (/^on[a-z]/.test(name) && Object.hasOwn(prototype, name)) delete prototype[name];
        }
    }
    const bodies = [elements.HTMLBodyElement, elements.HTMLFrameSetElement].filter(Boolean);
    for (const { prototype } of bodies) {
        for (const type of [...forwarded, ...windowTypes]) {
            Object.defineProperty(prototype, `on${type}`, {
                enumerable: true, configurable: true,
                get() { return this.ownerDocument.defaultView === global ? bridge.handlerOf(global, type) : null; },
                set(value) { if (this.ownerDocument.defaultView === global) bridge.setHandler(global, type, value); },
            });
        }
    }
    const changed = (element, name, before, value) => {
        const type = name.slice(2);
        const isBody = bodies.some((kind) => element instanceof kind);
        const isOfWindow = isBody && (forwarded.includes(type) || windowTypes.includes(type));
        if (!isOfWindow && !globalTypes.includes(type)) return;
        // A document that was only parsed runs no scripts; its parser has no window yet, either.
        const target = isOfWindow ? global : element;
        const kind = olderNames.get(type) ?? type;
        if (value === null) bridge.setHandler(target, kind, null);
        else bridge.setHandler(target, kind, null, () => compile(element, type, value));
    };
    // Domino finds the handler of an attribute by its name, in a chain of prototypes.
    for (const kind of [Element, ...Object.values(elements)]) {
        const handlers = kind.prototype._attributeChangeHandlers;
        if (handlers === undefined) continue;
        if (!Object.hasOwn(kind.prototype, "_attributeChangeHandlers")) continue;
        for (const name of Object.keys(handlers)) if (/^on[a-z]/.test(name)) delete handlers[name];
    }
    const all = Element.prototype._attributeChangeHandlers ??= Object.create(null);
    for (const type of types) all[`on${type}`] = changed;
}

export function install(bridge) {
    const { global, EventTarget: Target, hooks } = bridge;
    for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"]) {
        EventTarget.prototype[name] = Target.prototype[name];
    }
    Object.setPrototypeOf(EventTarget.prototype, Target.prototype);
    EventTarget.prototype._dispatchEvent = function (event) { return bridge.dispatchTo(this, event); };
    EventTarget.prototype._getEventHandler = function (type) { return bridge.handlerOf(this, type); };
    EventTarget.prototype._setEventHandler = function (type, callback) {
        bridge.setHandler(this, type, callback);
    };
    installHandlers(bridge);
    // An event bubbles up the tree and then to the window, except `load`.
    hooks.parentOf = (target, event) => {
        if (!(target instanceof Node)) return null;
        if (target.parentNode !== null && target.parentNode !== undefined) return target.parentNode;
        return target.nodeType === 9 && event.type !== "load" ? target.defaultView ?? null : null;
    };
    hooks.isPassive = (target, type) => {
        if (animationTypes.has(type)) bridge.animates?.();
        return isPassive(target, type);
    };
    const isPassive = (target, type) => passiveTypes.has(type) && (target === global
        || (target instanceof Node && (target.nodeType === 9 || target === target.ownerDocument.documentElement
            || target === target.ownerDocument.body)));

    const { made, create, setRelated } = eventTypes(bridge);
    bridge.events = made;
    hooks.setRelated = setRelated;
    Object.defineProperty(Document.prototype, "createEvent", {
        configurable: true, writable: true, enumerable: true,
        value: function createEvent(name) { return create(name) ?? utils.NotSupportedError(); },
    });
    // Domino's own exceptions require another engine.
    for (const name of Object.keys(utils)) {
        if (!/^[A-Z]\w*Error$/.test(name)) continue;
        utils[name] = (detail) => {
            throw new bridge.DOMException(detail ?? `the document does not allow this (${name})`, name);
        };
    }
}
