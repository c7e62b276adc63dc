// URL and URLSearchParams after https://url.spec.whatwg.org, as far as an app needs them.
// Not done: international host names (they are refused, not converted), the `file` scheme's
// special cases, normal form of IPv6 addresses, legacy encodings.
const specialPorts = { __proto__: null, http: "80", https: "443", ws: "80", wss: "443", ftp: "21" };
const isSpecial = (scheme) => specialPorts[scheme] !== undefined;

const percentSets = {
    __proto__: null,
    fragment: " \"<>`", query: " \"#<>", specialQuery: " \"#<>'", path: " \"#<>?^`{}",
    user: " \"#<>?^`{}/:;=@[\\]|", opaque: "",
};

const hexByte = (byte) => `%${padStart(upper(numberText(byte, 16)), 2, "0")}`;

function percentEncode(string, set) {
    if (!matches(/[^!$-&(-;=@-Z_a-z~]/, string) && set !== percentSets.user) return string;
    let result = "";
    for (let index = 0; index < string.length; index++) {
        const code = charCode(string, index);
        if (code > 32 && code < 127 && indexOf(set, string[index]) < 0) {
            result += string[index];
        } else if (code < 128) {
            result += indexOf(set, string[index]) >= 0 || code < 32 || code === 127
                ? hexByte(code) : string[index];
        } else {
            const point = codePoint(string, index);
            const bytes = host.encode(slice(string, index, index + (point > 0xffff ? 2 : 1)));
            for (let at = 0; at < viewLength(bytes); at++) result += hexByte(bytes[at]);
            if (point > 0xffff) index++;
        }
    }
    return result;
}

function percentDecode(string) {
    if (indexOf(string, "%") < 0) return string;
    const source = host.encode(string), size = viewLength(source), result = new $Uint8Array(size);
    let length = 0;
    for (let index = 0; index < size; index++) {
        const digits = source[index] === 37 ? fromCharCode(source[index + 1], source[index + 2]) : "";
        if (matches(/^[0-9A-Fa-f]{2}$/, digits)) {
            result[length++] = toInteger(digits, 16);
            index += 2;
        } else {
            result[length++] = source[index];
        }
    }
    return decodeText(joinBytes([new $Uint8Array(typedArrayBuffer(result), 0, length)]), false);
}

// A host whose last part is a number is an IPv4 address, in any of its spellings.
function parseIPv4(name) {
    const parts = split(endsWith(name, ".") ? slice(name, 0, -1) : name, ".");
    if (!matches(/^(?:\d+|0x[0-9a-f]*)$/, parts[parts.length - 1])) return name;
    if (parts.length > 4) return null;
    let address = 0;
    for (let index = 0; index < parts.length; index++) {
        const part = parts[index], isLast = index === parts.length - 1;
        if (!matches(/^(?:0x[0-9a-f]*|0[0-7]*|[1-9]\d*)$/, part)) return null;
        const value = part === "0x" ? 0 : startsWith(part, "0x") ? toInteger(slice(part, 2), 16)
            : toInteger(part, startsWith(part, "0") ? 8 : 10);
        if (value >= (isLast ? 256 ** (5 - parts.length) : 256)) return null;
        address += isLast ? value : value * 256 ** (3 - index);
    }
    return `${floor(address / 0x1000000)}.${floor(address / 0x10000) % 256}.${
        floor(address / 256) % 256}.${address % 256}`;
}

function parseHost(source, special) {
    if (startsWith(source, "[")) {
        return matches(/^\[[0-9A-Fa-f:.]+\]$/, source) && indexOf(source, ":") > 0
            ? lower(source) : null;
    }
    if (!special) {
        return matches(/[\0\t\n\r #/<>?@[\\\]^|]/, source) ? null : percentEncode(source, "");
    }
    const name = lower(percentDecode(source));
    if (name === "" || matches(/[^\x21-\x7e]|[#/:<>?@[\\\]^|%]/, name)) return null;
    return parseIPv4(name);
}

function parseAuthority(record, source) {
    const special = isSpecial(record.scheme);
    let rest = source;
    const at = lastIndexOf(rest, "@");
    if (at >= 0) {
        const user = slice(rest, 0, at), colon = indexOf(user, ":");
        record.username = percentEncode(colon < 0 ? user : slice(user, 0, colon), percentSets.user);
        record.password = colon < 0 ? "" : percentEncode(slice(user, colon + 1), percentSets.user);
        rest = slice(rest, at + 1);
    }
    const port = execute(/:(\d*)$/, rest);
    if (port !== null) {
        if (toInteger(port[1], 10) > 65535) return false;
        const number = port[1] === "" ? "" : numberText(toInteger(port[1], 10));
        record.port = number === specialPorts[record.scheme] ? "" : number;
        rest = slice(rest, 0, port.index);
    }
    const name = rest === "" && !special ? "" : parseHost(rest, special);
    if (name === null || (name === "" && (port !== null || at >= 0))) return false;
    record.host = name;
    return true;
}

function normalPath(source, special) {
    const result = [];
    let segment = "", start = 0;
    for (let index = 0; index <= source.length; index++) {
        const letter = source[index];
        if (letter !== undefined && letter !== "/" && !(special && letter === "\\")) continue;
        segment = slice(source, start, index);
        start = index + 1;
        const isLast = letter === undefined;
        if (matches(/^(?:\.|%2e){2}$/i, segment)) {
            if (result.length > 0) result.length--;
            if (isLast) append(result, "");
        } else if (matches(/^(?:\.|%2e)$/i, segment)) {
            if (isLast) append(result, "");
        } else {
            append(result, percentEncode(segment, percentSets.path));
        }
    }
    return `/${arrayJoin(result, "/")}`;
}

function parseTail(record, source) {
    let rest = source;
    const hash = indexOf(rest, "#");
    if (hash >= 0) {
        record.fragment = percentEncode(slice(rest, hash + 1), percentSets.fragment);
        rest = slice(rest, 0, hash);
    }
    const mark = indexOf(rest, "?");
    if (mark >= 0) {
        record.query = percentEncode(slice(rest, mark + 1),
            isSpecial(record.scheme) ? percentSets.specialQuery : percentSets.query);
        rest = slice(rest, 0, mark);
    }
    return rest;
}

const emptyRecord = (scheme) => ({
    __proto__: null, scheme, username: "", password: "", host: null, port: "", path: "",
    query: null, fragment: null, isOpaque: false,
});

function withAuthority(record, source) {
    const end = execute(isSpecial(record.scheme) ? /[/\\?#]/ : /[/?#]/, source);
    const authority = end === null ? source : slice(source, 0, end.index);
    if (!parseAuthority(record, authority)) return null;
    const special = isSpecial(record.scheme);
    const path = parseTail(record, end === null ? "" : slice(source, end.index));
    record.path = path === "" ? (special ? "/" : "") : normalPath(slice(path, 1), special);
    return record;
}

function trimmed(input) {
    let start = 0, end = input.length, result = "";
    while (start < end && charCode(input, start) <= 32) start++;
    while (end > start && charCode(input, end - 1) <= 32) end--;
    for (let index = start; index < end; index++) {
        const code = charCode(input, index);
        if (code !== 9 && code !== 10 && code !== 13) result += input[index];
    }
    return result;
}

// The parts of an address, or `null` when it is none.
function parseURL(input, base) {
    const source = trimmed(input);
    const prefix = execute(/^([A-Za-z][A-Za-z0-9+.-]*):/, source);
    if (prefix === null) return base === null ? null : relativeTo(base, source);
    const record = emptyRecord(lower(prefix[1]));
    const rest = slice(source, prefix[0].length);
    if (isSpecial(record.scheme)) {
        if (base !== null && base.scheme === record.scheme && !matches(/^[/\\]/, rest)) {
            return relativeTo(base, rest);
        }
        return withAuthority(record, slice(rest, execute(/^[/\\]*/, rest)[0].length));
    }
    if (startsWith(rest, "//")) return withAuthority(record, slice(rest, 2));
    const path = parseTail(record, rest);
    record.isOpaque = !startsWith(path, "/");
    record.path = record.isOpaque ? percentEncode(path, percentSets.opaque)
        : normalPath(slice(path, 1), false);
    return record;
}

function relativeTo(base, source) {
    const special = isSpecial(base.scheme), record = emptyRecord(base.scheme);
    if (base.isOpaque && !startsWith(source, "#")) return null;
    if (matches(special ? /^[/\\]{2}/ : /^\/\//, source)) {
        return withAuthority(record, slice(source, 2));
    }
    record.username = base.username;
    record.password = base.password;
    record.host = base.host;
    record.port = base.port;
    record.isOpaque = base.isOpaque;
    const path = parseTail(record, source);
    if (path === "") {
        record.path = base.path;
        if (record.query === null && indexOf(source, "?") < 0) record.query = base.query;
    } else if (matches(special ? /^[/\\]/ : /^\//, path)) {
        record.path = normalPath(slice(path, 1), special);
    } else {
        const folder = slice(base.path, 1, lastIndexOf(base.path, "/") + 1);
        record.path = normalPath(folder + path, special);
    }
    return record;
}

function hostText(record) {
    return record.port === "" ? record.host ?? "" : `${record.host}:${record.port}`;
}

function writeURL(record, withFragment = true) {
    let result = `${record.scheme}:`;
    if (record.host !== null) {
        result += "//";
        if (record.username !== "" || record.password !== "") {
            result += record.username + (record.password === "" ? "" : `:${record.password}`) + "@";
        }
        result += hostText(record);
    }
    result += record.path;
    if (record.query !== null) result += `?${record.query}`;
    if (withFragment && record.fragment !== null) result += `#${record.fragment}`;
    return result;
}

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
                for (const part of pair) append(list, text(part));
                if (list.length !== 2) throw new $TypeError("a pair has not two parts");
                append(this.#pairs, { name: list[0], value: list[1] });
            }
        } else if (isObject(init)) {
            const keys = ownKeys(init);
            for (let index = 0; index < keys.length; index++) {
                if (!getOwnPropertyDescriptor(init, keys[index])?.enumerable) continue;
                append(this.#pairs, { name: text(keys[index]), value: text(init[keys[index]]) });
            }
        } else {
            const source = text(init);
            this.#pairs = parseForm(startsWith(source, "?") ? slice(source, 1) : source);
        }
    }
    get size() { return this.#pairs.length; }
    append(name, value) {
        append(this.#pairs, { name: text(name), value: text(value) });
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
        const key = text(name), pair = this.#first(key);
        if (pair === undefined) {
            append(this.#pairs, { name: key, value: text(value) });
        } else {
            pair.value = text(value);
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
hide(URLSearchParams.prototype, iterator, URLSearchParams.prototype.entries);

class URL {
    #record; #params;
    constructor(input, base) {
        const anchor = base === undefined ? null : parseURL(text(base), null);
        const record = base !== undefined && anchor === null ? null : parseURL(text(input), anchor);
        if (record === null) throw new $TypeError(`${quote(text(input))} is not a valid URL`);
        this.#record = record;
        this.#params = new URLSearchParams(record.query ?? "");
        connectForm(this.#params, (query) => { this.#record.query = query === "" ? null : query; });
    }
    static canParse(input, base) { return URL.parse(input, base) !== null; }
    static parse(input, base) { return safely(() => new $URL(input, base), null); }
    get href() { return writeURL(this.#record); }
    set href(value) {
        const record = parseURL(text(value), null);
        if (record === null) throw new $TypeError(`${quote(text(value))} is not a valid URL`);
        this.#replace(record);
    }
    get origin() {
        const { scheme } = this.#record;
        return isSpecial(scheme) ? `${scheme}://${hostText(this.#record)}` : "null";
    }
    get protocol() { return `${this.#record.scheme}:`; }
    set protocol(value) {
        const scheme = execute(/^([A-Za-z][A-Za-z0-9+.-]*):?/, text(value));
        if (scheme === null || isSpecial(lower(scheme[1])) !== isSpecial(this.#record.scheme)) return;
        this.#record.scheme = lower(scheme[1]);
        if (this.#record.port === specialPorts[this.#record.scheme]) this.#record.port = "";
    }
    get username() { return this.#record.username; }
    set username(value) { if (this.#record.host) this.#record.username = percentEncode(text(value), percentSets.user); }
    get password() { return this.#record.password; }
    set password(value) { if (this.#record.host) this.#record.password = percentEncode(text(value), percentSets.user); }
    get host() { return hostText(this.#record); }
    set host(value) { this.#setHost(text(value), true); }
    get hostname() { return this.#record.host ?? ""; }
    set hostname(value) { this.#setHost(text(value), false); }
    get port() { return this.#record.port; }
    set port(value) {
        const digits = execute(/^\d*/, text(value))[0], number = toInteger(digits, 10);
        if (!this.#record.host || number > 65535 || (digits === "" && text(value) !== "")) return;
        const port = digits === "" ? "" : numberText(number);
        this.#record.port = port === specialPorts[this.#record.scheme] ? "" : port;
    }
    get pathname() { return this.#record.path; }
    set pathname(value) {
        if (this.#record.isOpaque) return;
        const special = isSpecial(this.#record.scheme), path = text(value);
        const rest = matches(special ? /^[/\\]/ : /^\//, path) ? slice(path, 1) : path;
        this.#record.path = normalPath(rest, special);
    }
    get search() { return this.#record.query ? `?${this.#record.query}` : ""; }
    set search(value) {
        const query = text(value);
        this.#record.query = query === "" ? null : percentEncode(
            startsWith(query, "?") ? slice(query, 1) : query,
            isSpecial(this.#record.scheme) ? percentSets.specialQuery : percentSets.query);
        refillForm(this.#params, this.#record.query);
    }
    get searchParams() { return this.#params; }
    get hash() { return this.#record.fragment ? `#${this.#record.fragment}` : ""; }
    set hash(value) {
        const fragment = text(value);
        this.#record.fragment = fragment === "" ? null : percentEncode(
            startsWith(fragment, "#") ? slice(fragment, 1) : fragment, percentSets.fragment);
    }
    toString() { return writeURL(this.#record); }
    toJSON() { return writeURL(this.#record); }
    #setHost(source, withPort) {
        if (this.#record.isOpaque) return;
        const trial = emptyRecord(this.#record.scheme);
        const end = execute(/[/?#\\]/, source);
        const name = end === null ? source : slice(source, 0, end.index);
        if (indexOf(name, "@") >= 0 || !parseAuthority(trial, name)) return;
        this.#record.host = trial.host;
        if (withPort && matches(/:\d+$/, name)) this.#record.port = trial.port;
    }
    #replace(record) {
        this.#record = record;
        refillForm(this.#params, record.query);
    }
    static internals = {
        __proto__: null,
        recordOf: (value) => (isObject(value) && #record in value ? value.#record : null),
    };
}
const $URL = URL;
const { recordOf } = URL.internals;
delete URL.internals;

define("URL", URL);
define("URLSearchParams", URLSearchParams);

// The base of relative addresses. The host's first script assigns it; nothing is ever navigated.
let baseRecord = parseURL("http://localhost/", null);
setProperty(globalObject, "location", {
    __proto__: null, enumerable: true, configurable: true,
    get() {
        const url = new $URL(writeURL(baseRecord));
        return freeze({
            href: url.href, origin: url.origin, protocol: url.protocol, host: url.host,
            hostname: url.hostname, port: url.port, pathname: url.pathname, search: url.search,
            hash: url.hash, toString() { return this.href; },
        });
    },
    set(value) {
        const record = parseURL(text(value), baseRecord);
        if (record === null) throw new $TypeError(`${quote(text(value))} is not a valid URL`);
        baseRecord = record;
    },
});
