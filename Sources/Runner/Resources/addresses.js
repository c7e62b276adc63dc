// Parses and serialises URLs after https://url.spec.whatwg.org. Queries are always encoded as UTF-8.
const specialPorts = { __proto__: null, http: "80", https: "443", ws: "80", wss: "443", ftp: "21", file: "" };
const isSpecial = (scheme) => specialPorts[scheme] !== undefined;

const percentSets = {
    __proto__: null,
    fragment: " \"<>`", query: " \"#<>", specialQuery: " \"#<>'", path: " \"#<>?^`{}",
    user: " \"#<>?^`{}/:;=@[\\]|", opaque: "",
};

const hexByte = (byte) => `%${padStart(upper(numberText(byte, 16)), 2, "0")}`;

function percentEncode(string, set) {
    if (!matches(/[^!$-&(-.0-9=A-Z_a-z~]/, string)) return string;
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
    return indexOf(string, "%") < 0 ? string : decodeText(percentDecodeBytes(string), false);
}

function percentDecodeBytes(string) {
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
    return joinBytes([new $Uint8Array(typedArrayBuffer(result), 0, length)]);
}

// A host that ends in a number is an IPv4 address, in any spelling; null if it is an invalid one.
function parseIPv4(name) {
    const parts = split(endsWith(name, ".") ? slice(name, 0, -1) : name, ".");
    const last = parts[parts.length - 1];
    if (!matches(/^(?:\d+|0x[0-9a-f]*)$/, last)) return name;
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

// The eight pieces of an IPv6 address; null if it is invalid.
function parseIPv6(source) {
    const halves = split(source, "::");
    if (halves.length > 2) return null;
    const pieces = [];
    for (let half = 0; half < halves.length; half++) {
        const parts = halves[half] === "" ? [] : split(halves[half], ":"), found = [];
        for (let index = 0; index < parts.length; index++) {
            const isLast = half === halves.length - 1 && index === parts.length - 1;
            if (matches(/^[0-9A-Fa-f]{1,4}$/, parts[index])) {
                append(found, toInteger(parts[index], 16));
            } else if (isLast && matches(/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/, parts[index])) {
                const bytes = split(parts[index], ".");
                for (let byte = 0; byte < 4; byte++) if (+bytes[byte] > 255) return null;
                append(found, +bytes[0] * 256 + +bytes[1]);
                append(found, +bytes[2] * 256 + +bytes[3]);
            } else {
                return null;
            }
        }
        append(pieces, found);
    }
    const first = pieces[0], second = pieces[1] ?? [], missing = 8 - first.length - second.length;
    if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
    const whole = [];
    for (let index = 0; index < first.length; index++) append(whole, first[index]);
    for (let index = 0; index < missing; index++) append(whole, 0);
    for (let index = 0; index < second.length; index++) append(whole, second[index]);
    return whole;
}

// The longest run of at least two zeros is left out.
function writeIPv6(pieces) {
    let start = -1, length = 1;
    for (let index = 0; index < 8; index++) {
        let end = index;
        while (end < 8 && pieces[end] === 0) end++;
        if (end - index > length) {
            start = index;
            length = end - index;
        }
        if (end > index) index = end;
    }
    let result = "";
    for (let index = 0; index < 8; index++) {
        if (index === start) {
            result += index === 0 ? "::" : ":";
            index += length - 1;
            continue;
        }
        result += numberText(pieces[index], 16);
        if (index < 7) result += ":";
    }
    return `[${result}]`;
}

function parseHost(source, special) {
    if (startsWith(source, "[")) {
        const pieces = endsWith(source, "]") ? parseIPv6(slice(source, 1, -1)) : null;
        return pieces === null ? null : writeIPv6(pieces);
    }
    if (!special) {
        return matches(/[\0\t\n\r #/:<>?@[\\\]^|]/, source) ? null : percentEncode(source, "");
    }
    const decoded = percentDecode(source);
    const name = matches(/[^\0-\x7f]|(?:^|\.)xn--/i, decoded) ? safely(() => bringPart("idna").toASCII(decoded), null)
        : lower(decoded);
    if (name === null || name === "" || matches(/[\0-\x20#/:<>?@[\\\]^|%\x7f]/, name)) return null;
    return parseIPv4(name);
}

const emptyRecord = (scheme) => ({
    __proto__: null, scheme, username: "", password: "", host: null, port: "", path: "",
    query: null, fragment: null, isOpaque: false,
});

const isDriveLetter = (segment) => matches(/^[A-Za-z][:|]$/, segment);
const startsWithDriveLetter = (source) => matches(/^[A-Za-z][:|](?:[/\\?#]|$)/, source);

// Users and host before the path. Returns whether they are valid.
function parseAuthority(record, source) {
    const special = isSpecial(record.scheme), at = lastIndexOf(source, "@");
    let rest = source;
    if (at >= 0) {
        const user = slice(rest, 0, at), colon = indexOf(user, ":");
        record.username = percentEncode(colon < 0 ? user : slice(user, 0, colon), percentSets.user);
        record.password = colon < 0 ? "" : percentEncode(slice(user, colon + 1), percentSets.user);
        rest = slice(rest, at + 1);
        if (rest === "") return false;
    }
    const found = execute(/^((?:\[[^\]]*\]?|[^:[])*)(?::([^]*))?$/, rest);
    if (found === null) return false;
    const name = found[1], port = found[2];
    if (name === "" && (special || port !== undefined)) return false;
    if (port !== undefined && !setPort(record, port)) return false;
    const host = name === "" ? "" : parseHost(name, special);
    if (host === null) return false;
    record.host = host;
    return true;
}

function setPort(record, digits) {
    if (!matches(/^\d*$/, digits)) return false;
    const number = toInteger(digits, 10);
    if (number > 65535) return false;
    const port = digits === "" ? "" : numberText(number);
    record.port = port === specialPorts[record.scheme] ? "" : port;
    return true;
}

const segmentsOf = (path) => (path === "" ? [] : split(slice(path, 1), "/"));

function shorten(segments, scheme) {
    if (scheme === "file" && segments.length === 1 && matches(/^[A-Za-z]:$/, segments[0])) return;
    if (segments.length > 0) segments.length--;
}

// Appends the segments of a path to those of the base.
function walkPath(segments, source, scheme) {
    const special = isSpecial(scheme);
    let start = 0;
    for (let index = 0; index <= source.length; index++) {
        const letter = source[index], isLast = letter === undefined;
        if (!isLast && letter !== "/" && !(special && letter === "\\")) continue;
        let segment = slice(source, start, index);
        start = index + 1;
        if (matches(/^(?:\.|%2e){2}$/i, segment)) {
            shorten(segments, scheme);
            if (isLast) append(segments, "");
        } else if (matches(/^(?:\.|%2e)$/i, segment)) {
            if (isLast) append(segments, "");
        } else {
            segment = percentEncode(segment, percentSets.path);
            if (scheme === "file" && segments.length === 0 && isDriveLetter(segment)) segment = `${segment[0]}:`;
            append(segments, segment);
        }
    }
    return `/${arrayJoin(segments, "/")}`;
}

// A path that begins with its first segment, without a slash.
const normalPath = (source, scheme) =>
    (matches(/^[A-Za-z0-9_~!$&'()*+,;=@/-]*$/, source) ? `/${source}` : walkPath([], source, scheme));

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

function withAuthority(record, source) {
    const special = isSpecial(record.scheme), end = execute(special ? /[/\\?#]/ : /[/?#]/, source);
    if (!parseAuthority(record, end === null ? source : slice(source, 0, end.index))) return null;
    const path = parseTail(record, end === null ? "" : slice(source, end.index));
    record.path = path === "" ? (special ? "/" : "") : normalPath(slice(path, 1), record.scheme);
    return record;
}

function parseFile(record, source, base) {
    record.host = "";
    if (matches(/^[/\\]{2}/, source)) {
        const rest = slice(source, 2);
        const end = execute(/[/\\?#]/, rest), name = end === null ? rest : slice(rest, 0, end.index);
        if (!isDriveLetter(name)) {
            const host = name === "" ? "" : parseHost(name, true);
            if (host === null) return null;
            record.host = host === "localhost" ? "" : host;
            const path = parseTail(record, end === null ? "" : slice(rest, end.index));
            record.path = normalPath(path === "" ? "" : slice(path, 1), "file");
            return record;
        }
        record.path = walkPath([], parseTail(record, rest), "file");
        return record;
    }
    const inherits = base !== null && base.scheme === "file";
    if (matches(/^[/\\]/, source)) {
        const segments = [];
        if (inherits) {
            record.host = base.host;
            const first = segmentsOf(base.path)[0];
            if (!startsWithDriveLetter(slice(source, 1)) && first !== undefined && matches(/^[A-Za-z]:$/, first)) {
                append(segments, first);
            }
        }
        record.path = walkPath(segments, slice(parseTail(record, source), 1), "file");
        return record;
    }
    if (!inherits) {
        record.path = walkPath([], parseTail(record, source), "file");
        return record;
    }
    record.host = base.host;
    const isDrive = startsWithDriveLetter(source), path = parseTail(record, source);
    if (path === "") {
        record.path = base.path;
        if (record.query === null && !matches(/^[^#]*\?/, source)) record.query = base.query;
        return record;
    }
    const segments = isDrive ? [] : segmentsOf(base.path);
    if (!isDrive) shorten(segments, "file");
    record.path = walkPath(segments, path, "file");
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
    if (record.scheme === "file") return parseFile(record, rest, base);
    if (isSpecial(record.scheme)) {
        if (base !== null && base.scheme === record.scheme && !matches(/^[/\\]{2}/, rest)
            && !(matches(/^\/\//, rest))) {
            return relativeTo(base, rest);
        }
        return withAuthority(record, slice(rest, execute(/^[/\\]*/, rest)[0].length));
    }
    if (startsWith(rest, "//")) return withAuthority(record, slice(rest, 2));
    if (startsWith(rest, "/")) {
        record.path = normalPath(slice(parseTail(record, rest), 1), record.scheme);
        return record;
    }
    record.isOpaque = true;
    record.path = percentEncode(parseTail(record, rest), percentSets.opaque);
    return record;
}

// Without a query and a fragment, spaces at the end of an opaque path would be lost when it is parsed again.
function stripOpaquePath(record) {
    if (!record.isOpaque || record.query !== null || record.fragment !== null) return;
    while (endsWith(record.path, " ")) record.path = slice(record.path, 0, -1);
}

function relativeTo(base, source) {
    const special = isSpecial(base.scheme), record = emptyRecord(base.scheme);
    if (base.isOpaque) {
        if (!startsWith(source, "#")) return null;
        record.path = base.path;
        record.query = base.query;
        record.isOpaque = true;
        parseTail(record, source);
        record.query = base.query;
        return record;
    }
    if (base.scheme === "file") return parseFile(record, source, base);
    const slashes = execute(special ? /^[/\\]{2,}/ : /^\/\//, source);
    if (slashes !== null) return withAuthority(record, slice(source, slashes[0].length));
    record.username = base.username;
    record.password = base.password;
    record.host = base.host;
    record.port = base.port;
    const path = parseTail(record, source);
    if (path === "") {
        record.path = base.path;
        if (record.query === null && !matches(/^[^#]*\?/, source)) record.query = base.query;
    } else if (matches(special ? /^[/\\]/ : /^\//, path)) {
        record.path = normalPath(slice(path, 1), base.scheme);
    } else {
        const segments = segmentsOf(base.path);
        shorten(segments, base.scheme);
        record.path = walkPath(segments, path, base.scheme);
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
    } else if (!record.isOpaque && startsWith(record.path, "//")) {
        result += "/.";
    }
    result += record.path;
    if (record.query !== null) result += `?${record.query}`;
    if (withFragment && record.fragment !== null) result += `#${record.fragment}`;
    return result;
}
