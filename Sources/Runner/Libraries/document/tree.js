// Walks through the trees of nodes. Siblings are linked in a circle.

/** The children of a node that are elements. The list is kept, and must not be changed. */
export function elementsOf(parent) {
    const known = parent._childElements;
    if (known !== undefined) return known;
    const list = [], first = parent.firstChild;
    if (first !== null) {
        let kid = first;
        do {
            if (kid.nodeType === 1) list.push(kid);
            kid = kid._nextSibling;
        } while (kid !== first);
    }
    return parent._childElements = list;
}

const places = new WeakMap();

/** The position of an element among the elements of its parent, from 0. */
export function placeOf(element) {
    const list = elementsOf(element.parentNode);
    let known = places.get(list);
    if (known === undefined) places.set(list, known = new Map(list.map((one, place) => [one, place])));
    return known.get(element);
}

/** The root of the tree of a node. */
export function rootOf(node) {
    let root = node;
    while (root.parentNode) root = root.parentNode;
    return root;
}

/** The node after `node` in the tree order of `root`; null after the last. */
export function following(node, root) {
    if (node.firstChild !== null && node.firstChild !== undefined) return node.firstChild;
    for (let at = node; at !== root; at = at.parentNode) {
        const parent = at.parentNode;
        if (parent === null) return null;
        if (at._nextSibling !== parent.firstChild) return at._nextSibling;
    }
    return null;
}

/** The first element below a node for which `test` holds; null if there is none. */
export function firstElement(root, test) {
    for (let at = root.firstChild; at !== null; at = following(at, root)) if (at.nodeType === 1 && test(at)) return at;
    return null;
}

/** The elements below a node for which `test` holds, in tree order. */
export function descendants(root, test) {
    const found = [];
    for (let at = root.firstChild ?? null; at !== null; at = following(at, root)) if (at.nodeType === 1 && test(at)) found.push(at);
    return found;
}
