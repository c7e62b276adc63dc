// URL, and the base of relative addresses.
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

// The base of relative addresses.
let baseRecord = parseURL("http://localhost/", null);
