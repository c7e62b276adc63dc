// Parses and serialises URLs after https://url.spec.whatwg.org, as far as apps need it.
// Not supported: international host names (rejected, not converted), the special cases of the `file`
// scheme, the canonical form of IPv6 addresses, legacy encodings.
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

// A host whose last part is a number is an IPv4 address, in any spelling.
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
    // Fast path: most paths contain no special characters.
    if (matches(/^[A-Za-z0-9_~!$&'()*+,;=:@/-]*$/, source)) return `/${source}`;
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
    if (!matches(/[\0-\x20]/, input)) return input;
    let start = 0, end = input.length, result = "";
    while (start < end && charCode(input, start) <= 32) start++;
    while (end > start && charCode(input, end - 1) <= 32) end--;
    for (let index = start; index < end; index++) {
        const code = charCode(input, index);
        if (code !== 9 && code !== 10 && code !== 13) result += input[index];
    }
    return result;
}

// The parts of a URL, or `null` if it is invalid.
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
