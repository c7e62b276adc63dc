// Custom elements, after https://html.spec.whatwg.org/#custom-elements. This file is evaluated when an app first reads
// `customElements`.
import html, { elements } from "domino/lib/htmlelts";
import { elementsBelow, isConnected, isCustomName, shadowOf } from "./components.js";
import { changes } from "./changes.js";
import { follow } from "./mutations.js";
import { descendants } from "./tree.js";

const space = "http://www.w3.org/1999/xhtml";
const lifecycle = ["connectedCallback", "disconnectedCallback", "adoptedCallback", "attributeChangedCallback"];
const ofForms = ["formAssociatedCallback", "formResetCallback", "formDisabledCallback", "formStateRestoreCallback"];
// Stands for an element that a constructor has already taken.
const taken = Symbol("taken");

export function install(bridge) {
    const { global } = bridge, { HTMLElement, HTMLUnknownElement } = elements;
    const error = (name, message) => { throw new bridge.DOMException(message, name); };
    const byName = new Map(), byClass = new Map(), waiting = new Map();
    // The definition of each custom element, "failed" for one whose constructor threw, and the name of `is`.
    const states = new WeakMap(), isNames = new WeakMap();
    // Callbacks to call when the change under way has ended: the element, its callback, arguments.
    let reactions = [], isDefining = false;
    const definitionOf = (element) => {
        const state = states.get(element);
        return state === undefined || state === "failed" || state === "copied" ? undefined : state;
    };

    const enqueue = (element, name, list) => {
        const callback = definitionOf(element)?.callbacks[name];
        if (callback !== undefined) reactions.push([element, callback, list]);
    };
    function react() {
        while (reactions.length > 0) {
            const [element, callback, list] = reactions.shift();
            if (callback === upgrade) upgrade(element, ...list);
            else bridge.call(callback, element, list);
        }
    }
    const attributeChanged = (element, name, namespace, oldValue, value) => {
        if (definitionOf(element)?.observed.has(name)) enqueue(element, "attributeChangedCallback", [name, oldValue, value, namespace]);
    };

    // The definition for an element by its name, or by the name in `is`.
    const find = (element) => {
        if (element.namespaceURI !== space || element.ownerDocument !== global.document) return undefined;
        const definition = byName.get(isNames.get(element) ?? element.localName);
        return definition?.localName === element.localName ? definition : undefined;
    };
    function upgrade(element, definition) {
        if (states.has(element) && states.get(element) !== "copied") return;
        states.set(element, definition);
        const before = reactions;
        reactions = [];
        for (const { localName, namespaceURI, value } of element.attributes) attributeChanged(element, localName, namespaceURI, null, value);
        if (isConnected(element)) enqueue(element, "connectedCallback", []);
        const own = reactions;
        reactions = before;
        definition.stack.push(element);
        let isDone = false;
        bridge.call(() => {
            if (definition.disablesShadow && shadowOf(element) !== null) error("NotSupportedError", "the element has a shadow root, which its class forbids");
            const made = new definition.type();
            if (made !== element) throw new TypeError("the constructor returned another element");
            isDone = true;
        }, undefined, []);
        definition.stack.pop();
        if (!isDone) {
            states.set(element, "failed");
            return;
        }
        changes.lists++;
        changes.all++;
        reactions.unshift(...own);
    }
    const tryUpgrade = (element) => {
        if (states.has(element) && states.get(element) !== "copied") return;
        const definition = find(element);
        if (definition !== undefined) reactions.push([element, upgrade, [definition]]);
    };

    follow({
        isActive: () => byName.size > 0,
        willInsert({ node, from }) { if (from !== null && isConnected(from)) for (const one of elementsBelow(node)) enqueue(one, "disconnectedCallback", []); },
        didInsert({ parent, added, replaced }) {
            if (!isConnected(parent)) return;
            if (replaced !== null) this.left(replaced);
            for (const node of added) {
                for (const element of elementsBelow(node)) {
                    if (definitionOf(element) !== undefined) enqueue(element, "connectedCallback", []);
                    else tryUpgrade(element);
                }
            }
        },
        left(node) { for (const element of elementsBelow(node)) enqueue(element, "disconnectedCallback", []); },
        didRemove(node, parent) { if (isConnected(parent)) this.left(node); },
        didEmpty(parent, children) { if (isConnected(parent)) for (const node of children) this.left(node); },
        didChangeAttribute: attributeChanged,
        settled: react,
    });

    // An element for the constructor of a class, after https://html.spec.whatwg.org/#html-element-constructors.
    function construct(type, of) {
        const definition = byClass.get(type);
        if (definition === undefined || type === of) throw new TypeError("Illegal constructor");
        const isOwn = definition.localName === definition.name;
        const base = isOwn ? "HTMLElement" : global.document._interfaceOf(definition.localName);
        if (of !== global[base]) throw new TypeError(`Illegal constructor: the class of ${definition.name} has to extend ${base}`);
        const { prototype } = type, element = definition.stack.at(-1);
        if (element === undefined) {
            const made = create(definition, global.document);
            Object.setPrototypeOf(made, prototype);
            states.set(made, definition);
            return made;
        }
        if (element === taken) throw new TypeError("the constructor has already made this element");
        Object.setPrototypeOf(element, prototype);
        definition.stack[definition.stack.length - 1] = taken;
        return element;
    }
    // An element that is not upgraded.
    function create({ name, localName }, document, prefix = null) {
        if (localName === name) return new HTMLElement(document, localName, prefix);
        const element = html.createElement(document, localName, prefix);
        isNames.set(element, name);
        return element;
    }
    // An element whose class runs at once.
    function constructed(definition) {
        let element = null;
        const { localName, type } = definition;
        bridge.call(() => {
            const made = new type();
            if (!(made instanceof HTMLElement) || made.localName === undefined) throw new TypeError("the constructor returned no HTMLElement");
            const wrong = made.attributes.length > 0 ? "attributes" : made.firstChild !== null ? "children" : made.parentNode !== null ? "a parent"
                : made.ownerDocument !== global.document ? "another document" : made.localName !== localName ? "another name" : null;
            if (wrong !== null) error("NotSupportedError", `the constructor returned an element with ${wrong}`);
            element = made;
        }, undefined, []);
        if (element === null) {
            element = new HTMLUnknownElement(global.document, localName, null);
            states.set(element, "failed");
        }
        return element;
    }
    let isCopying = 0;
    const registry = {
        isDefined: (element) => element.namespaceURI !== space || definitionOf(element) !== undefined
            || (states.get(element) !== "failed" && !isCustomName(element.localName) && !isNames.has(element)),
        construct,
        // Called for each element that is created with the name of a custom element; undefined if there is none.
        create(document, localName, prefix) {
            const definition = byName.get(localName);
            if (definition === undefined || definition.localName !== localName || document !== global.document || isCopying > 0) return undefined;
            return constructed(definition);
        },
        named(element, options) {
            const name = typeof options === "object" ? options?.is : undefined;
            if (name === undefined || element.namespaceURI !== space) return element;
            isNames.set(element, `${name}`);
            const definition = find(element);
            if (definition !== undefined) upgrade(element, definition);
            return element;
        },
        isOfForm: (element) => definitionOf(element)?.isOfForm ?? false,
        // A copy is upgraded when the copying has ended.
        copying(action) {
            isCopying++;
            try {
                return action();
            } finally {
                isCopying--;
            }
        },
        copied(clone, node) {
            if (isNames.has(node)) isNames.set(clone, isNames.get(node));
            if (find(clone) !== undefined) tryUpgrade(clone);
        },
        imported(node) {
            for (const element of elementsBelow(node)) tryUpgrade(element);
            return node;
        },
        adopted(element, before, document) { enqueue(element, "adoptedCallback", [before, document]); },
        attachInternals(element) {
            const definition = definitionOf(element);
            if (isNames.has(element) || definition === undefined) error("NotSupportedError", "only an autonomous custom element has internals");
            if (definition.disablesInternals) error("NotSupportedError", "the class of the element forbids internals");
            return require("./element-internals.js").install(bridge).attach(element, definition.isOfForm);
        },
    };
    Object.defineProperty(HTMLElement.prototype, "_forbidsShadow", {
        configurable: true, value() { return byName.get(this.localName)?.disablesShadow ?? false; },
    });

    const check = (name) => { if (!isCustomName(name)) error("SyntaxError", `${JSON.stringify(name)} is not the name of a custom element`); };
    const strings = (value) => (value === undefined ? [] : [...value].map((one) => `${one}`));
    function read(type) {
        const { prototype } = type;
        if (prototype === null || typeof prototype !== "object") throw new TypeError("the prototype of the class is not an object");
        const callbacks = {};
        const take = (names) => {
            for (const name of names) {
                const callback = prototype[name];
                if (callback !== undefined && typeof callback !== "function") throw new TypeError(`${name} is not a function`);
                callbacks[name] = callback;
            }
        };
        take(lifecycle);
        const observed = new Set(callbacks.attributeChangedCallback === undefined ? [] : strings(type.observedAttributes));
        const disabled = strings(type.disabledFeatures), isOfForm = !!type.formAssociated;
        if (isOfForm) take(ofForms);
        return { callbacks, observed, isOfForm, disablesShadow: disabled.includes("shadow"), disablesInternals: disabled.includes("internals") };
    }

    class CustomElementRegistry {
        constructor() { throw new TypeError("Illegal constructor"); }
        define(key, type, options) {
            if (arguments.length < 2) throw new TypeError("define needs a name and a class");
            const name = `${key}`;
            if (typeof type !== "function" || !isConstructor(type)) throw new TypeError("the second argument is not a class");
            check(name);
            if (byName.has(name)) error("NotSupportedError", `${name} is already defined`);
            if (byClass.has(type)) error("NotSupportedError", `the class is already that of ${byClass.get(type).name}`);
            let localName = name;
            if (options?.extends !== undefined) {
                localName = `${options.extends}`;
                if (isCustomName(localName) || global.document._interfaceOf(localName) === "HTMLUnknownElement") {
                    error("NotSupportedError", `${localName} cannot be extended`);
                }
            }
            if (isDefining) error("NotSupportedError", "a class is being defined");
            isDefining = true;
            let facts;
            try {
                facts = read(type);
            } finally {
                isDefining = false;
            }
            const definition = { name, localName, type, stack: [], ...facts };
            byName.set(name, definition);
            byClass.set(type, definition);
            const candidates = descendants(global.document, () => true).flatMap((element) => [element, ...inShadow(element)]);
            for (const element of candidates) if (find(element) === definition) tryUpgrade(element);
            react();
            waiting.get(name)?.resolve(type);
            waiting.delete(name);
        }
        get(name) { return byName.get(`${name}`)?.type; }
        getName(type) {
            if (typeof type !== "function") throw new TypeError("the argument is not a class");
            return byClass.get(type)?.name ?? null;
        }
        whenDefined(key) {
            const name = `${key}`;
            try {
                check(name);
            } catch (reason) {
                return Promise.reject(reason);
            }
            if (byName.has(name)) return Promise.resolve(byName.get(name).type);
            if (!waiting.has(name)) waiting.set(name, Promise.withResolvers());
            return waiting.get(name).promise;
        }
        upgrade(node) {
            for (const element of elementsBelow(node)) tryUpgrade(element);
            react();
        }
    }
    const inShadow = (element) => {
        const root = shadowOf(element);
        return root === null ? [] : [...elementsBelow(root)];
    };
    bridge.tag(CustomElementRegistry);
    const customElements = Object.create(CustomElementRegistry.prototype);
    return { registry, customElements, CustomElementRegistry };
}

function isConstructor(type) {
    try {
        Reflect.construct(Object, [], type);
        return true;
    } catch {
        return false;
    }
}
