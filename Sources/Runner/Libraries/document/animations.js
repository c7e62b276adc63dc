// The events of CSS animations and transitions, after https://drafts.csswg.org/css-animations-1/#events and
// https://drafts.csswg.org/css-transitions-1/#transition-events: pages wait for them. Nothing moves: a property has its new
// value at once. This file is evaluated when an app first listens to one of the events.
import { changes } from "./changes.js";
import { elementsBelow } from "./components.js";

// An animation that never ends has this many events of an iteration at most.
const iterationLimit = 10000;
const list = (text) => text.split(/,(?![^(]*\))/).map((part) => part.trim());
const milliseconds = (text) => (text.endsWith("ms") ? parseFloat(text) : parseFloat(text) * 1000) || 0;
const cycled = (values, at) => values[at % values.length];

/**
 * Returns `check`, which compares the styles of elements with those of the last check.
 *
 * @param styleOf gives the computed value of a property of an element
 * @param isUsed whether a style sheet has animations or transitions
 */
export function install(bridge, styleOf, isUsed) {
    const { global } = bridge, { AnimationEvent, TransitionEvent } = bridge.events;
    // Of each element, its animations by name and the values of what it would transition.
    const known = new WeakMap();
    let count = -1, isChecking = false, timer = false;
    const fire = (element, Type, type, details) => {
        if (element.isConnected) bridge.dispatchTo(element, new Type(type, { bubbles: true, ...details }));
    };
    const later = (delay, action) => global.setTimeout(action, delay);

    function animate(element, state) {
        const names = list(styleOf(element, "animation-name"));
        const [durations, delays, iterations] = ["animation-duration", "animation-delay", "animation-iteration-count"].map((name) => list(styleOf(element, name)));
        const current = new Set(names.filter((name) => name !== "none"));
        for (const [name, run] of state.animations) {
            if (current.has(name)) continue;
            run.isOver = true;
            state.animations.delete(name);
        }
        names.forEach((name, at) => {
            if (name === "none" || state.animations.has(name)) return;
            const duration = milliseconds(cycled(durations, at)), delay = milliseconds(cycled(delays, at));
            const times = cycled(iterations, at) === "infinite" ? Infinity : parseFloat(cycled(iterations, at));
            const run = { isOver: false };
            state.animations.set(name, run);
            const tell = (type, elapsed) => {
                if (!run.isOver) fire(element, AnimationEvent, type, { animationName: name, elapsedTime: elapsed / 1000 });
            };
            // The iterations from the number-th on, where `elapsed` has passed.
            const go = (number, elapsed) => {
                if (run.isOver || !element.isConnected) return;
                if (number >= times) {
                    later(Math.max(0, times * duration - elapsed), () => tell("animationend", times * duration));
                    return;
                }
                later(number * duration - elapsed, () => {
                    if (number >= iterationLimit || !element.isConnected) return;
                    tell("animationiteration", number * duration);
                    go(number + 1, number * duration);
                });
            };
            // With a negative delay it begins in the middle.
            const skipped = Math.min(Math.max(0, -delay), times * duration);
            later(Math.max(0, delay), () => {
                tell("animationstart", skipped);
                go(duration > 0 ? Math.floor(skipped / duration) + 1 : Infinity, skipped);
            });
        });
    }

    function transition(element, state) {
        const properties = list(styleOf(element, "transition-property"));
        const [durations, delays] = ["transition-duration", "transition-delay"].map((name) => list(styleOf(element, name)));
        const values = new Map();
        properties.forEach((property, at) => {
            const duration = milliseconds(cycled(durations, at)), delay = milliseconds(cycled(delays, at));
            if (property === "none" || Math.max(0, duration) + delay <= 0) return;
            for (const name of property === "all" ? [...state.values?.keys() ?? [], ...namesIn(element)] : [property]) values.set(name, { value: styleOf(element, name), duration, delay });
        });
        for (const [property, { value, duration, delay }] of values) {
            const before = state.values?.get(property);
            if (before === undefined || before.value === value || before.value === "" || value === "") continue;
            const details = { propertyName: property, elapsedTime: 0 };
            later(0, () => fire(element, TransitionEvent, "transitionrun", details));
            later(Math.max(0, delay), () => fire(element, TransitionEvent, "transitionstart", details));
            later(Math.max(0, delay + duration), () => {
                if (known.get(element)?.values?.get(property)?.value === value) fire(element, TransitionEvent, "transitionend", { propertyName: property, elapsedTime: duration / 1000 });
            });
        }
        state.values = values;
    }
    // What pages transition, as a rule; of all properties, a comparison would be too much.
    const common = ["opacity", "transform", "width", "height", "max-height", "top", "left", "color", "background-color", "margin-top", "margin-left", "visibility"];
    const namesIn = (element) => new Set([...common, ...element.style?.length > 0 ? [...element.style] : []]);

    function check() {
        if (isChecking || count === changes.all) return;
        isChecking = true;
        try {
            count = changes.all;
            const isInSheets = isUsed();
            for (const element of elementsBelow(global.document.documentElement)) {
                if (!isInSheets && !known.has(element) && !/animation|transition/i.test(element.getAttribute("style") ?? "")) continue;
                const isAnimated = styleOf(element, "animation-name") !== "none";
                const isMoving = list(styleOf(element, "transition-duration")).some((one) => milliseconds(one) > 0) || list(styleOf(element, "transition-delay")).some((one) => milliseconds(one) > 0);
                let state = known.get(element);
                if (state === undefined && !isAnimated && !isMoving) continue;
                if (state === undefined) known.set(element, state = { animations: new Map(), values: undefined });
                animate(element, state);
                transition(element, state);
            }
        } finally {
            isChecking = false;
        }
    }
    return {
        check,
        /** Checks soon, as a browser does with the next frame. */
        schedule() {
            if (timer) return;
            timer = true;
            bridge.later(() => {
                timer = false;
                check();
            });
        },
    };
}
