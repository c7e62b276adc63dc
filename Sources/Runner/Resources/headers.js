// The headers of a request or response.
class Headers {
    #list = []; #isLocked = false;
    // Those of a response, parsed at first use.
    #lines = null;
    get #fields() {
        if (this.#lines !== null) {
            const lines = split(this.#lines, "\n");
            this.#lines = null;
            for (let index = 0; index + 1 < lines.length; index += 2) {
                append(this.#list, { name: lower(lines[index]), value: lines[index + 1] });
            }
        }
        return this.#list;
    }
    set #fields(list) {
        this.#list = list;
        this.#lines = null;
    }
    constructor(init) {
        if (init === undefined || init === null) return;
        if (isObject(init) && #fields in init) {
            for (let index = 0; index < init.#fields.length; index++) {
                append(this.#fields, { ...init.#fields[index] });
            }
        } else if (isObject(init) && typeof init[iterator] === "function") {
            for (const pair of init) {
                const list = [];
                for (const part of pair) append(list, part);
                if (list.length !== 2) throw new $TypeError("a header must have two parts");
                Headers.#add(this, list[0], list[1]);
            }
        } else if (isObject(init)) {
            const keys = ownKeys(init);
            for (let index = 0; index < keys.length; index++) {
                if (!getOwnPropertyDescriptor(init, keys[index])?.enumerable) continue;
                Headers.#add(this, keys[index], init[keys[index]]);
            }
        } else {
            throw new $TypeError("headers must be an object or a list of pairs");
        }
    }
    append(name, value) {
        const key = Headers.#name(name), content = Headers.#value(value);
        this.#check();
        append(this.#fields, { name: key, value: content });
    }
    set(name, value) {
        const key = Headers.#name(name), content = Headers.#value(value);
        this.#check();
        Headers.#drop(this, key);
        append(this.#fields, { name: key, value: content });
    }
    delete(name) {
        const key = Headers.#name(name);
        this.#check();
        Headers.#drop(this, key);
    }
    get(name) { return Headers.#read(this, Headers.#name(name)); }
    has(name) { return Headers.#read(this, Headers.#name(name)) !== null; }
    getSetCookie() {
        const found = [];
        for (let index = 0; index < this.#fields.length; index++) {
            if (this.#fields[index].name === "set-cookie") append(found, this.#fields[index].value);
        }
        return found;
    }
    forEach(callback, self) {
        const sorted = Headers.#sorted(this);
        for (let index = 0; index < sorted.length; index++) {
            apply(callback, self, [sorted[index].value, sorted[index].name, this]);
        }
    }
    entries() { const sorted = Headers.#sorted(this); return pairsOf(() => sorted, both); }
    keys() { const sorted = Headers.#sorted(this); return pairsOf(() => sorted, nameOf); }
    values() { const sorted = Headers.#sorted(this); return pairsOf(() => sorted, valueOf); }
    #check() { if (this.#isLocked) throw new $TypeError("these headers cannot be changed"); }
    static #name(name) {
        const key = lower(text(name));
        if (!matches(/^[!#$%&'*+\-.^_`|~0-9a-z]+$/, key)) {
            throw new $TypeError(`${quote(key)} is not the name of a header`);
        }
        return key;
    }
    static #value(value) {
        const source = execute(/^[\t\n\r ]*([^]*?)[\t\n\r ]*$/, text(value))[1];
        if (matches(/[\0\r\n]|[^\0-\xff]/, source)) {
            throw new $TypeError(`${quote(source)} is not the value of a header`);
        }
        return source;
    }
    static #add(headers, name, value) {
        append(headers.#fields, { name: Headers.#name(name), value: Headers.#value(value) });
    }
    static #drop(headers, name) {
        const rest = [];
        for (let index = 0; index < headers.#fields.length; index++) {
            if (headers.#fields[index].name !== name) append(rest, headers.#fields[index]);
        }
        headers.#fields = rest;
    }
    static #read(headers, name) {
        let result = null;
        for (let index = 0; index < headers.#fields.length; index++) {
            const field = headers.#fields[index];
            if (field.name === name) result = result === null ? field.value : `${result}, ${field.value}`;
        }
        return result;
    }
    static #sorted(headers) {
        const names = [], sorted = [];
        for (let index = 0; index < headers.#fields.length; index++) append(names, headers.#fields[index].name);
        arraySort(names);
        for (let index = 0; index < names.length; index++) {
            if (index > 0 && names[index] === names[index - 1]) continue;
            append(sorted, { name: names[index], value: Headers.#read(headers, names[index]) });
        }
        return sorted;
    }
    static internals = {
        __proto__: null,
        read: (headers, name) => Headers.#read(headers, name),
        // Alternating lines of names and values, for the process.
        lines(headers) {
            let result = "";
            for (let index = 0; index < headers.#fields.length; index++) {
                result += `${headers.#fields[index].name}\n${headers.#fields[index].value}\n`;
            }
            return result;
        },
        fromLines(source) {
            const headers = new Headers();
            headers.#lines = source;
            headers.#isLocked = true;
            return headers;
        },
        set(headers, name, value) { append(headers.#fields, { name, value }); },
        add: (headers, name, value) => Headers.#add(headers, name, value),
        replace(headers, name, value) {
            Headers.#drop(headers, Headers.#name(name));
            Headers.#add(headers, name, value);
        },
        sorted: (headers) => Headers.#sorted(headers),
        lock(headers) { headers.#isLocked = true; },
    };
}
const {
    read: readHeader, lines: headerLines, fromLines: headersFromLines, set: setHeader,
    add: addHeader, replace: replaceHeader, sorted: sortedHeaders, lock: lockHeaders,
} = Headers.internals;
delete Headers.internals;
finishClass(Headers, "Headers");
hide(Headers.prototype, iterator, Headers.prototype.entries);

define("Headers", Headers);
