// What has changed in any document, so that what was computed from it is kept for as long as it holds.

/**
 * `lists` counts the changes that lists of elements and style sheets depend on, `classes` those and changes of
 * classes, `all` counts every change.
 */
export const changes = { lists: 0, classes: 0, all: 0 };

// What is called after each change, once an app needs it.
let listener = null;
export function whenChanged(action) {
    let { all } = changes;
    Object.defineProperty(changes, "all", { get: () => all, set(value) {
        all = value;
        if (listener !== null) listener();
    } });
    listener = action;
}

// Attributes that decide about lists of elements and about style sheets.
const deciding = new Set(["disabled", "for", "form", "href", "id", "multiple", "name", "rel", "type"]);
const isText = (node) => node.nodeType === 3 || node.nodeType === 4 || node.nodeType === 8;

/** A child of a node was or will be inserted or removed; without `child`, all of them. */
export function changedChildren(parent, child = null) {
    changes.all++;
    if (parent === null || parent === undefined) return;
    if (child !== null && isText(child) && parent.localName !== "style") return;
    parent._childElements = undefined;
    changes.lists++;
    changes.classes++;
}

export function changedAttribute(name) {
    changes.all++;
    if (deciding.has(name)) changes.lists++;
    if (name === "class" || deciding.has(name)) changes.classes++;
}

export function changedData(node) {
    changes.all++;
    if (node.parentNode?.localName === "style") changes.lists++;
}

/** What is in no attribute has changed: the value of a control, the selected options, the focus. */
export function changedState() { changes.all++; }

/** `make` as a function that computes again for an object only after changes that `counter` counts. */
export function cachedUntilChange(make, counter = "lists") {
    const known = new WeakMap();
    return (object) => {
        const entry = known.get(object), count = changes[counter];
        if (entry !== undefined && entry.count === count) return entry.value;
        const value = make(object);
        known.set(object, { count, value });
        return value;
    };
}

/** `make` as a function that computes again for an object only when one of the lists that `parts` gives is another. */
export function derived(parts, make) {
    const known = new WeakMap();
    return (object) => {
        const lists = parts(object), entry = known.get(object);
        if (entry !== undefined && entry.lists.length === lists.length && lists.every((list, at) => list === entry.lists[at])) return entry.value;
        const value = make(object);
        known.set(object, { lists, value });
        return value;
    };
}
