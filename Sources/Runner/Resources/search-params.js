// URLSearchParams and the form encoding.
function parseForm(source) {
    const pairs = [], parts = split(source, "&");
    const decoded = (part) => percentDecode(arrayJoin(split(part, "+"), " "));
    for (let index = 0; index < parts.length; index++) {
        if (parts[index] === "") continue;
        const equals = indexOf(parts[index], "=");
        const name = equals < 0 ? parts[index] : slice(parts[index], 0, equals);
        const value = equals < 0 ? "" : slice(parts[index], equals + 1);
        append(pairs, { name: decoded(name), value: decoded(value) });
    }
    return pairs;
}

function encodeForm(source) {
    const bytes = host.encode(source);
    let result = "";
    for (let index = 0; index < viewLength(bytes); index++) {
        const letter = fromCharCode(bytes[index]);
        result += letter === " " ? "+" : matches(/[A-Za-z0-9*\-._]/, letter) ? letter : hexByte(bytes[index]);
    }
    return result;
}

function* pairsOf(pairs, pick) {
    for (let index = 0; index < pairs().length; index++) yield pick(pairs()[index]);
}
const both = ({ name, value }) => [name, value];
const nameOf = ({ name }) => name;
const valueOf = ({ value }) => value;

class URLSearchParams {
    #pairs = []; #changed = null;
    constructor(init = "") {
        if (isObject(init) && typeof init[iterator] === "function") {
            for (const pair of init) {
                const list = [];
                for (const part of pair) append(list, wellFormed(text(part)));
                if (list.length !== 2) throw new $TypeError("a pair must have two parts");
                append(this.#pairs, { name: list[0], value: list[1] });
            }
        } else if (isObject(init)) {
            const keys = ownKeys(init);
            for (let index = 0; index < keys.length; index++) {
                if (!getOwnPropertyDescriptor(init, keys[index])?.enumerable) continue;
                const name = wellFormed(text(keys[index])), value = wellFormed(text(init[keys[index]]));
                let pair = this.#first(name);
                if (pair === undefined) append(this.#pairs, pair = { name });
                pair.value = value;
            }
        } else {
            const source = text(init);
            this.#pairs = parseForm(startsWith(source, "?") ? slice(source, 1) : source);
        }
    }
    get size() { return this.#pairs.length; }
    append(name, value) {
        append(this.#pairs, { name: wellFormed(text(name)), value: wellFormed(text(value)) });
        this.#update();
    }
    delete(name, value) {
        this.#keep((pair) => pair.name !== text(name)
            || (value !== undefined && pair.value !== text(value)));
        this.#update();
    }
    get(name) {
        const pair = this.#first(text(name));
        return pair === undefined ? null : pair.value;
    }
    getAll(name) {
        const found = [];
        for (let index = 0; index < this.#pairs.length; index++) {
            if (this.#pairs[index].name === text(name)) append(found, this.#pairs[index].value);
        }
        return found;
    }
    has(name, value) {
        for (let index = 0; index < this.#pairs.length; index++) {
            const pair = this.#pairs[index];
            if (pair.name === text(name) && (value === undefined || pair.value === text(value))) return true;
        }
        return false;
    }
    set(name, value) {
        const key = wellFormed(text(name)), pair = this.#first(key), content = wellFormed(text(value));
        if (pair === undefined) {
            append(this.#pairs, { name: key, value: content });
        } else {
            pair.value = content;
            this.#keep((other) => other === pair || other.name !== key);
        }
        this.#update();
    }
    sort() {
        arraySort(this.#pairs, (one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
        this.#update();
    }
    forEach(callback, self) {
        for (let index = 0; index < this.#pairs.length; index++) {
            const { name, value } = this.#pairs[index];
            apply(callback, self, [value, name, this]);
        }
    }
    entries() { return pairsOf(() => this.#pairs, both); }
    keys() { return pairsOf(() => this.#pairs, nameOf); }
    values() { return pairsOf(() => this.#pairs, valueOf); }
    toString() { return URLSearchParams.#write(this.#pairs); }
    #first(name) {
        for (let index = 0; index < this.#pairs.length; index++) {
            if (this.#pairs[index].name === name) return this.#pairs[index];
        }
        return undefined;
    }
    #keep(test) {
        const rest = [];
        for (let index = 0; index < this.#pairs.length; index++) {
            if (test(this.#pairs[index])) append(rest, this.#pairs[index]);
        }
        this.#pairs = rest;
    }
    #update() { this.#changed?.(URLSearchParams.#write(this.#pairs)); }
    static #write(pairs) {
        let result = "";
        for (let index = 0; index < pairs.length; index++) {
            if (index > 0) result += "&";
            result += `${encodeForm(pairs[index].name)}=${encodeForm(pairs[index].value)}`;
        }
        return result;
    }
    static internals = {
        __proto__: null,
        connect(params, changed) { params.#changed = changed; },
        refill(params, query) { params.#pairs = parseForm(query ?? ""); },
        formText: (params) => URLSearchParams.#write(params.#pairs),
        isForm: (value) => isObject(value) && #pairs in value,
    };
}
const { connect: connectForm, refill: refillForm, formText, isForm } = URLSearchParams.internals;
delete URLSearchParams.internals;
finishClass(URLSearchParams, "URLSearchParams");
hide(URLSearchParams.prototype, iterator, URLSearchParams.prototype.entries);

define("URLSearchParams", URLSearchParams);
