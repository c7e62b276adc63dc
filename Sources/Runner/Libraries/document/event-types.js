// The classes of events that pages make, with the members that their dictionaries list.

const long = (value) => value | 0;
const short = (value) => (value << 16) >> 16;
const unsigned = (value) => value >>> 0;
const double = (value) => {
    const number = +value;
    if (!Number.isFinite(number)) throw new TypeError("the number is not finite");
    return number;
};
const boolean = (value) => !!value;
const string = (value) => `${value}`;
const any = (value) => value;

const modifiers = { ctrlKey: [false, boolean], shiftKey: [false, boolean], altKey: [false, boolean], metaKey: [false, boolean] };
const modifierKeys = { Control: "ctrlKey", Shift: "shiftKey", Alt: "altKey", Meta: "metaKey" };

export function eventTypes({ addConstants, Event, EventTarget, CustomEvent, global, isUnderWay, leaveUninitialized, tag }) {
    const isTarget = (value) => value === global || value instanceof EventTarget || typeof value.addEventListener === "function";
    const target = (value) => {
        if (value === null) return null;
        if (typeof value !== "object" || !isTarget(value)) throw new TypeError("the value is not an EventTarget");
        return value;
    };
    const view = (value) => {
        if (value !== null && value !== global) throw new TypeError("the view is not a Window");
        return value;
    };
    const made = {}, related = new WeakMap();

    /** Declares a class: `fields` has a default value and a conversion for each member. */
    function declare(name, Base, fields, members = {}) {
        const values = new WeakMap();
        const Made = { [name]: class extends Base {
            constructor(type, options) {
                if (arguments.length === 0) throw new TypeError("the type of the event is missing");
                super(type, options);
                const own = {};
                for (const [key, [fallback, convert]] of Object.entries(fields)) {
                    const given = options?.[key];
                    own[key] = given === undefined ? fallback : convert(given);
                }
                values.set(this, own);
                if (fields.relatedTarget !== undefined) related.set(this, own);
            }
        } }[name];
        for (const key of Object.keys(fields)) {
            Object.defineProperty(Made.prototype, key, {
                enumerable: true, configurable: true, get() { return values.get(this)[key]; },
            });
        }
        const set = (event, changes) => { Object.assign(values.get(event), changes); };
        for (const [key, member] of Object.entries(Object.getOwnPropertyDescriptors(
            typeof members === "function" ? members(set) : members))) {
            Object.defineProperty(Made.prototype, key, { ...member, enumerable: true, configurable: true });
        }
        tag(Made);
        return made[name] = Made;
    }

    function initialize(event, list, set) {
        if (isUnderWay(event)) return;
        event.initEvent(list[0], !!list[1], !!list[2]);
        set();
    }
    const UIEvent = declare("UIEvent", Event, { view: [null, view], detail: [0, long], which: [0, unsigned] }, (set) => ({
        initUIEvent(...list) {
            initialize(this, list, () => setUI(this, list));
        },
        _set(changes) { set(this, changes); },
    }));
    const setUI = (event, list) => UIEvent.prototype._set.call(event, { view: view(list[3] ?? null), detail: long(list[4]) });
    Object.defineProperty(UIEvent.prototype, "_set", { enumerable: false });

    const getModifierState = function getModifierState(key) { return this[modifierKeys[key]] ?? false; };
    const zero = [0, double];
    const MouseEvent = declare("MouseEvent", UIEvent, {
        screenX: zero, screenY: zero, clientX: zero, clientY: zero, ...modifiers,
        button: [0, short], buttons: [0, (value) => value & 0xffff], relatedTarget: [null, target],
        movementX: zero, movementY: zero,
    }, (set) => ({
        get x() { return this.clientX; },
        get y() { return this.clientY; },
        get pageX() { return this.clientX; },
        get pageY() { return this.clientY; },
        get offsetX() { return this.clientX; },
        get offsetY() { return this.clientY; },
        getModifierState,
        initMouseEvent(...list) {
            initialize(this, list, () => {
                setUI(this, list);
                const [screenX, screenY, clientX, clientY] = list.slice(5, 9).map(long);
                const [ctrlKey, altKey, shiftKey, metaKey] = list.slice(9, 13).map(boolean);
                set(this, { screenX: screenX ?? 0, screenY: screenY ?? 0, clientX: clientX ?? 0, clientY: clientY ?? 0,
                    ctrlKey: !!ctrlKey, altKey: !!altKey, shiftKey: !!shiftKey, metaKey: !!metaKey,
                    button: short(list[13]), relatedTarget: list[14] ?? null });
            });
        },
    }));
    addConstants(declare("WheelEvent", MouseEvent, {
        deltaX: zero, deltaY: zero, deltaZ: zero, deltaMode: [0, unsigned],
    }), ["DOM_DELTA_PIXEL", "DOM_DELTA_LINE", "DOM_DELTA_PAGE"]);
    declare("PointerEvent", MouseEvent, {
        pointerId: [0, long], width: [1, double], height: [1, double], pressure: zero, tangentialPressure: zero,
        tiltX: [0, long], tiltY: [0, long], twist: [0, long], pointerType: ["", string], isPrimary: [false, boolean],
    }, { getCoalescedEvents: () => [], getPredictedEvents: () => [] });
    declare("DragEvent", MouseEvent, { dataTransfer: [null, any] });
    addConstants(declare("KeyboardEvent", UIEvent, {
        key: ["", string], code: ["", string], location: [0, unsigned], ...modifiers, repeat: [false, boolean],
        isComposing: [false, boolean], charCode: [0, unsigned], keyCode: [0, unsigned],
    }, (set) => ({
        get which() { return this.keyCode || this.charCode; },
        getModifierState,
        initKeyboardEvent(...list) {
            initialize(this, list, () => {
                setUI(this, [...list.slice(0, 4), 0]);
                const [ctrlKey, altKey, shiftKey, metaKey] = [6, 7, 8, 9].map((index) => !!list[index]);
                set(this, { key: string(list[4] ?? ""), location: unsigned(list[5]), ctrlKey, altKey, shiftKey, metaKey });
            });
        },
    })), ["DOM_KEY_LOCATION_STANDARD", "DOM_KEY_LOCATION_LEFT", "DOM_KEY_LOCATION_RIGHT", "DOM_KEY_LOCATION_NUMPAD"]);
    const withData = (set) => ({
        initCompositionEvent(...list) {
            initialize(this, list, () => {
                setUI(this, [...list.slice(0, 4), 0]);
                set(this, { data: string(list[4] ?? "") });
            });
        },
    });
    declare("CompositionEvent", UIEvent, { data: ["", string] }, withData);
    declare("TextEvent", UIEvent, { data: ["", string] });
    declare("InputEvent", UIEvent, {
        data: [null, (value) => (value === null ? null : string(value))], isComposing: [false, boolean],
        inputType: ["", string],
    });
    declare("FocusEvent", UIEvent, { relatedTarget: [null, target] });
    declare("TouchEvent", UIEvent, { ...modifiers, touches: [[], any], targetTouches: [[], any], changedTouches: [[], any] });
    declare("HashChangeEvent", Event, { oldURL: ["", string], newURL: ["", string] });
    declare("PopStateEvent", Event, { state: [null, any] });
    declare("PageTransitionEvent", Event, { persisted: [false, boolean] });
    declare("SubmitEvent", Event, { submitter: [null, any] });
    declare("FormDataEvent", Event, { formData: [null, any] });
    declare("ToggleEvent", Event, { oldState: ["", string], newState: ["", string] });
    declare("BeforeUnloadEvent", Event, { returnValue: ["", string] });
    declare("ClipboardEvent", Event, { clipboardData: [null, any] });
    declare("AnimationEvent", Event, { animationName: ["", string], elapsedTime: zero, pseudoElement: ["", string] });
    declare("TransitionEvent", Event, { propertyName: ["", string], elapsedTime: zero, pseudoElement: ["", string] });
    declare("DeviceMotionEvent", Event, { acceleration: [null, any], accelerationIncludingGravity: [null, any], rotationRate: [null, any], interval: zero });
    declare("DeviceOrientationEvent", Event, { alpha: [null, any], beta: [null, any], gamma: [null, any], absolute: [false, boolean] });
    declare("StorageEvent", Event, { key: [null, any], oldValue: [null, any], newValue: [null, any], url: ["", string], storageArea: [null, any] });

    const legacy = {
        event: Event, events: Event, htmlevents: Event, svgevents: Event, customevent: CustomEvent,
        uievents: UIEvent, mouseevents: MouseEvent,
    };
    for (const name of [
        "BeforeUnloadEvent", "CompositionEvent", "DeviceMotionEvent", "DeviceOrientationEvent", "DragEvent",
        "FocusEvent", "HashChangeEvent", "KeyboardEvent", "MouseEvent", "StorageEvent", "TextEvent", "TouchEvent", "UIEvent",
    ]) legacy[name.toLowerCase()] = made[name];

    /** `document.createEvent`. Returns undefined for an unknown name. */
    function create(name) {
        const key = `${name}`.toLowerCase();
        const Made = key === "messageevent" ? global.MessageEvent : Object.hasOwn(legacy, key) ? legacy[key] : undefined;
        if (Made === undefined) return undefined;
        const event = new Made("");
        leaveUninitialized(event);
        return event;
    }
    // An event shows each tree that it passes a related target of that tree.
    const setRelated = (event, node) => { if (related.has(event)) related.get(event).relatedTarget = node; };
    return { made, create, setRelated };
}
