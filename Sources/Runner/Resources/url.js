// URL, and the base of relative addresses.
// Setters ignore tabs and newlines.
const cleaned = (value) => replaceAll(text(value), /[\t\n\r]/g, "");

class URL {
    #record; #params;
    constructor(input, base = undefined) {
        const anchor = base === undefined ? null : parseURL(text(base), null);
        const record = base !== undefined && anchor === null ? null : parseURL(text(input), anchor);
        if (record === null) throw new $TypeError(`${quote(text(input))} is not a valid URL`);
        this.#record = record;
        this.#params = new URLSearchParams();
        refillForm(this.#params, record.query);
        connectForm(this.#params, (query) => {
            this.#record.query = query === "" ? null : query;
            stripOpaquePath(this.#record);
        });
    }
    static canParse(input, base = undefined) { return URL.parse(input, base) !== null; }
    static parse(input, base = undefined) {
        const address = text(input), anchor = base === undefined ? undefined : text(base);
        return safely(() => new $URL(address, anchor), null);
    }
    get href() { return writeURL(this.#record); }
    set href(value) {
        const record = parseURL(text(value), null);
        if (record === null) throw new $TypeError(`${quote(text(value))} is not a valid URL`);
        this.#replace(record);
    }
    get origin() {
        const { scheme, path } = this.#record;
        if (scheme === "blob") {
            const inner = parseURL(path, null);
            return inner === null || !matches(/^https?$/, inner.scheme) ? "null" : `${inner.scheme}://${hostText(inner)}`;
        }
        return isSpecial(scheme) && scheme !== "file" ? `${scheme}://${hostText(this.#record)}` : "null";
    }
    get protocol() { return `${this.#record.scheme}:`; }
    set protocol(value) {
        const found = execute(/^([A-Za-z][A-Za-z0-9+.-]*)(?::|$)/, cleaned(value)), record = this.#record;
        if (found === null) return;
        const scheme = lower(found[1]);
        if (isSpecial(scheme) !== isSpecial(record.scheme)) return;
        if (scheme === "file" && (this.#hasUser() || record.port !== "")) return;
        if (record.scheme === "file" && record.host === "") return;
        record.scheme = scheme;
        if (record.port === specialPorts[scheme]) record.port = "";
    }
    get username() { return this.#record.username; }
    set username(value) {
        if (this.#canHaveUser()) this.#record.username = percentEncode(text(value), percentSets.user);
        else text(value);
    }
    get password() { return this.#record.password; }
    set password(value) {
        if (this.#canHaveUser()) this.#record.password = percentEncode(text(value), percentSets.user);
        else text(value);
    }
    get host() { return hostText(this.#record); }
    set host(value) { this.#setHost(cleaned(value), true); }
    get hostname() { return this.#record.host ?? ""; }
    set hostname(value) { this.#setHost(cleaned(value), false); }
    get port() { return this.#record.port; }
    set port(value) {
        const source = cleaned(value);
        if (!this.#canHaveUser()) return;
        const digits = execute(/^\d*/, source)[0];
        if (digits !== "" || source === "") setPort(this.#record, digits);
    }
    get pathname() { return this.#record.path; }
    set pathname(value) {
        const record = this.#record, path = cleaned(value);
        if (record.isOpaque) return;
        const special = isSpecial(record.scheme);
        if (path === "" && !special) {
            record.path = record.host === null ? "/" : "";
            return;
        }
        const rest = matches(special ? /^[/\\]/ : /^\//, path) ? slice(path, 1) : path;
        record.path = walkPath([], rest, record.scheme);
    }
    get search() { return this.#record.query ? `?${this.#record.query}` : ""; }
    set search(value) {
        const query = cleaned(value), record = this.#record;
        record.query = query === "" ? null : percentEncode(
            startsWith(query, "?") ? slice(query, 1) : query,
            isSpecial(record.scheme) ? percentSets.specialQuery : percentSets.query);
        refillForm(this.#params, record.query);
        stripOpaquePath(record);
    }
    get searchParams() { return this.#params; }
    get hash() { return this.#record.fragment ? `#${this.#record.fragment}` : ""; }
    set hash(value) {
        const fragment = cleaned(value);
        this.#record.fragment = fragment === "" ? null : percentEncode(
            startsWith(fragment, "#") ? slice(fragment, 1) : fragment, percentSets.fragment);
        stripOpaquePath(this.#record);
    }
    toString() { return writeURL(this.#record); }
    toJSON() { return writeURL(this.#record); }
    #hasUser() { return this.#record.username !== "" || this.#record.password !== ""; }
    #canHaveUser() { return !!this.#record.host && this.#record.scheme !== "file"; }
    #setHost(source, withPort) {
        const record = this.#record, { scheme } = record, special = isSpecial(scheme);
        if (record.isOpaque) return;
        const end = execute(special ? /[/?#\\]/ : /[/?#]/, source);
        const whole = end === null ? source : slice(source, 0, end.index);
        const found = execute(/^((?:\[[^\]]*\]?|[^:[])*)(:[^]*)?$/, whole);
        if (found === null || (found[2] !== undefined && (!withPort && scheme !== "file"))) return;
        if (scheme === "file" && found[2] !== undefined) return;
        const name = found[1];
        if (name === "" && ((special && scheme !== "file") || found[2] !== undefined
            || (this.#hasUser() || record.port !== ""))) return;
        const host = name === "" ? "" : parseHost(name, special);
        if (host === null) return;
        record.host = scheme === "file" && host === "localhost" ? "" : host;
        const digits = found[2] === undefined ? "" : execute(/^:(\d*)/, found[2])[1];
        if (digits !== "") setPort(record, digits);
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
finishClass(URL, "URL");

define("URL", URL);

// The base of relative addresses.
let baseRecord = parseURL("http://localhost/", null);
const baseOrigin = () => `${baseRecord.scheme}://${hostText(baseRecord)}`;
