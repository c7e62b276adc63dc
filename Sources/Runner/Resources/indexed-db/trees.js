// Sorted entries of a store or an index, in leaves. A leaf is saved as one page, when it has changed.
// The value of an entry is a text. In an index it is the primary key, which is also the end of the entry's key.

// Code units and entries of a leaf, beyond which it is divided. One large entry may have more.
const leafSize = 16384, leafEntries = 512;
// Longer values are saved in pages of their own, which stay as they are when the leaf changes.
const longValue = 65536;
// What an entry takes in addition to its texts.
const entryCost = 16;
// Entries of all stores and indexes that are loaded.
const mostEntries = 50_000;
const loaded = { __proto__: null, entries: 0, size: 0 };

const newLeaf = () => ({ __proto__: null, keys: bareList(), values: bareList(), size: 0, id: null });
const newTree = () => ({ __proto__: null, leaves: bareList(), count: 0, saved: bareList() });
const longOf = (string) => ({ __proto__: null, string, ids: null });
const textOf = (value) => (typeof value === "string" ? value : value.string);
const costOf = (key, value) => key.length + textOf(value).length + entryCost;

// The first position in a sorted list whose key is not before `key`.
function place(keys, key) {
    let low = 0, high = keys.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The leaf in which a key is or would be.
function leafAt(leaves, key) {
    let low = 0, high = leaves.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >>> 1;
        if (leaves[middle].keys[0] <= key) low = middle;
        else high = middle - 1;
    }
    return low;
}

function valueIn({ leaves }, key) {
    if (leaves.length === 0) return undefined;
    const leaf = leaves[leafAt(leaves, key)], index = place(leaf.keys, key);
    return leaf.keys[index] === key ? leaf.values[index] : undefined;
}

function putIn(tree, key, value) {
    const { leaves } = tree;
    if (leaves.length === 0) leaves[0] = newLeaf();
    const at = leafAt(leaves, key), leaf = leaves[at], { keys, values } = leaf, index = place(keys, key);
    leaf.id = null;
    if (keys[index] === key) {
        const change = costOf(key, value) - costOf(key, values[index]);
        leaf.size += change;
        loaded.size += change;
        values[index] = value;
    } else {
        insert(keys, index, key);
        insert(values, index, value);
        const cost = costOf(key, value);
        leaf.size += cost;
        tree.count++;
        loaded.entries++;
        loaded.size += cost;
    }
    if ((leaf.size > leafSize || keys.length > leafEntries) && keys.length > 1) {
        // Keys that arrive in their order fill the leaves.
        divide(leaves, at, index === keys.length - 1 && at === leaves.length - 1 ? index : keys.length >>> 1);
    }
}

function insert(list, index, item) {
    if (index === list.length) list[index] = item;
    else arraySplice(list, index, 0, item);
}

function divide(leaves, at, index) {
    const leaf = leaves[at], next = newLeaf();
    next.keys = bare(arraySplice(leaf.keys, index, leaf.keys.length - index));
    next.values = bare(arraySplice(leaf.values, index, leaf.values.length - index));
    for (let item = 0; item < next.keys.length; item++) next.size += costOf(next.keys[item], next.values[item]);
    leaf.size -= next.size;
    insert(leaves, at + 1, next);
}

function bare(list) {
    setPrototypeOf(list, null);
    return list;
}

function removeFrom(tree, key) {
    const { leaves } = tree;
    if (leaves.length === 0) return;
    const at = leafAt(leaves, key), leaf = leaves[at], index = place(leaf.keys, key);
    if (leaf.keys[index] !== key) return;
    const cost = costOf(key, leaf.values[index]);
    leaf.size -= cost;
    leaf.id = null;
    tree.count--;
    loaded.entries--;
    loaded.size -= cost;
    arraySplice(leaf.keys, index, 1);
    arraySplice(leaf.values, index, 1);
    if (leaf.keys.length === 0) arraySplice(leaves, at, 1);
}

function forgetTree(tree) {
    for (let index = 0; index < tree.leaves.length; index++) {
        loaded.entries -= tree.leaves[index].keys.length;
        loaded.size -= tree.leaves[index].size;
    }
    tree.leaves = bareList();
    tree.count = 0;
}

// The first entry whose key is not before `from`, or after it if that is `isOpen`; null if there is none.
function entryFrom({ leaves }, from, isOpen) {
    if (leaves.length === 0) return null;
    let at = leafAt(leaves, from), index = place(leaves[at].keys, from);
    if (isOpen && leaves[at].keys[index] === from) index++;
    if (index === leaves[at].keys.length) {
        at++;
        index = 0;
    }
    return at < leaves.length ? entryAt(leaves[at], index) : null;
}

// The last entry whose key is before `to`, or is `to` unless that is `isOpen`; null if there is none.
function entryUpTo({ leaves }, to, isOpen) {
    if (leaves.length === 0) return null;
    let at = leafAt(leaves, to), index = place(leaves[at].keys, to);
    if (isOpen || leaves[at].keys[index] !== to) index--;
    if (index < 0) {
        at--;
        index = at < 0 ? 0 : leaves[at].keys.length - 1;
    }
    return at >= 0 ? entryAt(leaves[at], index) : null;
}

const entryAt = (leaf, index) => ({ __proto__: null, key: leaf.keys[index], value: leaf.values[index] });

// Calls `visit` with key and value of the entries of a range, until it returns false.
function eachIn({ leaves }, range, visit) {
    if (leaves.length === 0) return;
    const from = range.lower === null ? "" : range.lowerOpen ? range.lower + afterAll : range.lower;
    let at = leafAt(leaves, from), index = place(leaves[at].keys, from);
    for (; at < leaves.length; at++, index = 0) {
        const { keys, values } = leaves[at];
        for (; index < keys.length; index++) {
            if (range.upper !== null && isBeyond(keys[index], range)) return;
            if (visit(keys[index], values[index]) === false) return;
        }
    }
}

// Whether the key of an entry, which may continue with a primary key, is above a range.
const isBeyond = (key, { upper, upperOpen }) => (upperOpen ? key >= upper : key > upper + afterAll);
