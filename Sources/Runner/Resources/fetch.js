// fetch, Headers, Request, Response and the stream of a body.
// Not done: pipes and writable streams, Blob and FormData, `clone` of an answer that still arrives,
// modes, caches, credentials and redirects, which are the host's business.

// A body is a queue of pieces with one reader. No promise chain of the app runs through it.
const emptyBody = (cancel) => ({
    __proto__: null, pieces: [], first: 0, isEnded: false, error: undefined, hasFailed: false,
    waiting: [], collector: null, isUsed: false, isLocked: false, cancel,
});

function bodyOf(bytes) {
    const body = emptyBody(null);
    if (viewLength(bytes) > 0) append(body.pieces, bytes);
    body.isEnded = true;
    return body;
}

function takePiece(body) {
    const piece = body.pieces[body.first];
    body.pieces[body.first++] = undefined;
    if (body.first === body.pieces.length) {
        body.pieces = [];
        body.first = 0;
    }
    return piece;
}

function settleBody(body) {
    if (body.collector !== null) {
        const { resolve, reject } = body.collector;
        if (body.hasFailed) {
            body.collector = null;
            reject(body.error);
        } else if (body.isEnded) {
            body.collector = null;
            const pieces = [];
            while (body.pieces.length > 0) append(pieces, takePiece(body));
            try {
                resolve(joinBytes(pieces));
            } catch (error) {
                reject(error);
            }
        }
    }
    while (body.waiting.length > 0) {
        if (body.pieces.length === 0 && !body.isEnded && !body.hasFailed) return;
        const { resolve, reject } = arraySplice(body.waiting, 0, 1)[0];
        if (body.pieces.length > 0) resolve({ value: takePiece(body), done: false });
        else if (body.hasFailed) reject(body.error);
        else resolve({ value: undefined, done: true });
    }
}

function failBody(body, error) {
    if (body.isEnded || body.hasFailed) return;
    body.hasFailed = true;
    body.error = error;
    body.pieces = [];
    body.first = 0;
    settleBody(body);
}

function nextPiece(body) {
    return new $Promise((resolve, reject) => {
        body.isUsed = true;
        append(body.waiting, { resolve, reject });
        settleBody(body);
    });
}

function cancelBody(body, reason) {
    body.isUsed = true;
    if (body.isEnded || body.hasFailed) return;
    body.isEnded = true;
    body.pieces = [];
    body.first = 0;
    body.cancel?.(reason);
    settleBody(body);
}

// All bytes, handed to `finish`, whose result the promise takes.
function collectBody(body, finish) {
    return new $Promise((resolve, reject) => {
        if (body === null) {
            resolve(finish(new $Uint8Array(0)));
            return;
        }
        if (body.isUsed || body.isLocked) {
            reject(new $TypeError("the body was read already"));
            return;
        }
        body.isUsed = body.isLocked = true;
        body.collector = {
            resolve(bytes) {
                try {
                    resolve(finish(bytes));
                } catch (error) {
                    reject(error);
                }
            },
            reject,
        };
        settleBody(body);
    });
}

function withoutMark(bytes) {
    const string = decodeText(bytes, false);
    return charCode(string, 0) === 0xfeff ? slice(string, 1) : string;
}

class ReadableStreamDefaultReader {
    #body;
    constructor(key, body) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        this.#body = body;
    }
    read() {
        if (this.#body === null) return refusal("the reader has released its lock");
        return nextPiece(this.#body);
    }
    cancel(reason) {
        if (this.#body === null) return refusal("the reader has released its lock");
        cancelBody(this.#body, reason);
        return settled();
    }
    releaseLock() {
        if (this.#body === null) return;
        const { waiting } = this.#body;
        this.#body.isLocked = false;
        this.#body.waiting = [];
        this.#body = null;
        for (let index = 0; index < waiting.length; index++) {
            waiting[index].reject(new $TypeError("the reader has released its lock"));
        }
    }
}

const settled = (value) => new $Promise((resolve) => { resolve(value); });
const refusal = (message) => new $Promise((resolve, reject) => { reject(new $TypeError(message)); });

class ReadableStream {
    #body;
    constructor(key, body) {
        if (key !== creation) throw new $TypeError("streams are made by fetch only");
        this.#body = body;
    }
    get locked() { return this.#body.isLocked; }
    getReader() {
        if (this.#body.isLocked) throw new $TypeError("the stream is locked");
        this.#body.isLocked = true;
        return new ReadableStreamDefaultReader(creation, this.#body);
    }
    cancel(reason) {
        if (this.#body.isLocked) return refusal("the stream is locked");
        cancelBody(this.#body, reason);
        return settled();
    }
    values({ preventCancel = false } = {}) {
        if (this.#body.isLocked) throw new $TypeError("the stream is locked");
        const body = this.#body;
        body.isLocked = true;
        const walk = {
            next() { return nextPiece(body); },
            return(value) {
                if (!preventCancel) cancelBody(body);
                body.isLocked = false;
                return settled({ value, done: true });
            },
        };
        hide(walk, asyncIterator, () => walk);
        return walk;
    }
}
hide(ReadableStream.prototype, asyncIterator, ReadableStream.prototype.values);

class Headers {
    #fields = [];
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
                if (list.length !== 2) throw new $TypeError("a header has not two parts");
                Headers.#add(this, list[0], list[1]);
            }
        } else if (isObject(init)) {
            const keys = ownKeys(init);
            for (let index = 0; index < keys.length; index++) {
                if (!getOwnPropertyDescriptor(init, keys[index])?.enumerable) continue;
                Headers.#add(this, keys[index], init[keys[index]]);
            }
        } else {
            throw new $TypeError("headers are an object or a list of pairs");
        }
    }
    append(name, value) { Headers.#add(this, name, value); }
    set(name, value) {
        const key = Headers.#name(name);
        Headers.#drop(this, key);
        append(this.#fields, { name: key, value: Headers.#value(value) });
    }
    delete(name) { Headers.#drop(this, Headers.#name(name)); }
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
        // Lines of name and value in turn, as the process takes them.
        lines(headers) {
            let result = "";
            for (let index = 0; index < headers.#fields.length; index++) {
                result += `${headers.#fields[index].name}\n${headers.#fields[index].value}\n`;
            }
            return result;
        },
        fromLines(source) {
            const headers = new Headers(), lines = split(source, "\n");
            for (let index = 0; index + 1 < lines.length; index += 2) {
                append(headers.#fields, { name: lower(lines[index]), value: lines[index + 1] });
            }
            return headers;
        },
        set(headers, name, value) { append(headers.#fields, { name, value }); },
    };
}
const {
    read: readHeader, lines: headerLines, fromLines: headersFromLines, set: setHeader,
} = Headers.internals;
delete Headers.internals;
hide(Headers.prototype, iterator, Headers.prototype.entries);

// The bytes of what an app gives as a body, and the type they have unless it says otherwise.
function takeBody(init) {
    if (init === undefined || init === null) return { bytes: null, type: null };
    if (isForm(init)) {
        return {
            bytes: host.encode(formText(init)),
            type: "application/x-www-form-urlencoded;charset=UTF-8",
        };
    }
    const bytes = bytesOf(init);
    if (bytes !== null) return { bytes, type: null };
    return { bytes: host.encode(text(init)), type: "text/plain;charset=UTF-8" };
}

class Request {
    #method = "GET"; #url; #headers; #bytes = null; #signal = null; #body = null;
    constructor(input, init = {}) {
        const options = init ?? {};
        let headers;
        if (isObject(input) && #method in input) {
            this.#method = input.#method;
            this.#url = input.#url;
            this.#signal = input.#signal;
            this.#bytes = input.#bytes;
            headers = input.#headers;
        } else {
            this.#url = recordOf(input) ?? parseURL(text(input), baseRecord);
            if (this.#url === null) throw new $TypeError(`${quote(text(input))} is not a valid URL`);
            if (this.#url.username !== "" || this.#url.password !== "") {
                throw new $TypeError("an address must not carry a password");
            }
        }
        if (options.method !== undefined) {
            const method = text(options.method), known = upper(method);
            if (!matches(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, method)
                || matches(/^(CONNECT|TRACE|TRACK)$/, known)) {
                throw new $TypeError(`${quote(method)} is not a method`);
            }
            this.#method = matches(/^(DELETE|GET|HEAD|OPTIONS|POST|PUT)$/, known) ? known : method;
        }
        this.#headers = new Headers(options.headers ?? headers);
        if (options.signal !== undefined) this.#signal = options.signal;
        if (this.#signal !== null && !isSignal(this.#signal)) {
            throw new $TypeError("the signal is not an AbortSignal");
        }
        if (options.body !== undefined && options.body !== null) {
            const { bytes, type } = takeBody(options.body);
            this.#bytes = bytes;
            if (type !== null && readHeader(this.#headers, "content-type") === null) {
                setHeader(this.#headers, "content-type", type);
            }
        }
        if (this.#bytes !== null && (this.#method === "GET" || this.#method === "HEAD")) {
            throw new $TypeError(`a ${this.#method} request has no body`);
        }
        if (this.#bytes !== null) this.#body = bodyOf(this.#bytes);
    }
    get method() { return this.#method; }
    get url() { return writeURL(this.#url); }
    get headers() { return this.#headers; }
    get signal() { return this.#signal ??= new AbortSignal(creation); }
    get bodyUsed() { return this.#body !== null && this.#body.isUsed; }
    text() { return collectBody(this.#body, withoutMark); }
    json() { return collectBody(this.#body, (bytes) => parseJSON(withoutMark(bytes))); }
    bytes() { return collectBody(this.#body, (bytes) => bytes); }
    arrayBuffer() { return collectBody(this.#body, typedArrayBuffer); }
    clone() { return new Request(this); }
    static partsOf(request) {
        return {
            method: request.#method, url: writeURL(request.#url, false),
            scheme: request.#url.scheme, headers: headerLines(request.#headers),
            bytes: request.#bytes ?? new $Uint8Array(0), signal: request.#signal,
        };
    }
}
const { partsOf } = Request;
delete Request.partsOf;

class Response {
    #status; #statusText; #headers; #url = ""; #body = null; #stream = null;
    constructor(init = null, options = {}) {
        this.#status = +(options?.status ?? 200);
        if (!isInteger(this.#status) || this.#status < 200 || this.#status > 599) {
            throw new $RangeError("the status is not between 200 and 599");
        }
        this.#statusText = text(options?.statusText ?? "");
        this.#headers = new Headers(options?.headers);
        const { bytes, type } = takeBody(init);
        if (bytes !== null) this.#body = bodyOf(bytes);
        if (type !== null && readHeader(this.#headers, "content-type") === null) {
            setHeader(this.#headers, "content-type", type);
        }
    }
    static json(data, options = {}) {
        const response = new Response(stringifyJSON(data), options);
        const given = options?.headers === undefined ? null
            : readHeader(new Headers(options.headers), "content-type");
        if (given === null) response.headers.set("content-type", "application/json");
        return response;
    }
    get status() { return this.#status; }
    get ok() { return this.#status >= 200 && this.#status < 300; }
    get statusText() { return this.#statusText; }
    get headers() { return this.#headers; }
    get url() { return this.#url; }
    get redirected() { return false; }
    get type() { return this.#url === "" ? "default" : "basic"; }
    get body() {
        if (this.#body === null) return null;
        return this.#stream ??= new ReadableStream(creation, this.#body);
    }
    get bodyUsed() { return this.#body !== null && this.#body.isUsed; }
    text() { return collectBody(this.#body, withoutMark); }
    json() { return collectBody(this.#body, (bytes) => parseJSON(withoutMark(bytes))); }
    bytes() { return collectBody(this.#body, (bytes) => bytes); }
    arrayBuffer() { return collectBody(this.#body, typedArrayBuffer); }
    clone() {
        const body = this.#body;
        if (body !== null && (body.isUsed || body.isLocked || !body.isEnded)) {
            throw new $TypeError("only an answer that has arrived and was not read can be cloned");
        }
        const copy = new Response();
        copy.#status = this.#status;
        copy.#statusText = this.#statusText;
        copy.#headers = new Headers(this.#headers);
        copy.#url = this.#url;
        if (body !== null) {
            copy.#body = emptyBody(null);
            copy.#body.isEnded = true;
            for (let index = body.first; index < body.pieces.length; index++) {
                append(copy.#body.pieces, bytesOf(body.pieces[index]));
            }
        }
        return copy;
    }
    static answer(status, headers, url, body) {
        const response = new Response();
        response.#status = status;
        response.#headers = headers;
        response.#url = url;
        response.#body = status === 204 || status === 205 || status === 304 ? null : body;
        return response;
    }
}
const { answer: makeResponse } = Response;
delete Response.answer;

// Requests whose answer is not complete, by the number that the process gave them.
const pending = new $Map();

function abortRequest(id, reason) {
    const entry = mapGet(pending, id);
    if (entry === undefined) return;
    mapDelete(pending, id);
    host.cancel(id);
    entry.reject(reason);
    failBody(entry.body, reason);
}

define("fetch", function fetch(input, init) {
    return new $Promise((resolve, reject) => {
        const { method, url, scheme, headers, bytes, signal } = partsOf(new Request(input, init));
        if (signal !== null && isAborted(signal)) {
            reject(reasonOf(signal));
            return;
        }
        if (scheme !== "http" && scheme !== "https") {
            throw new $TypeError(`fetch does not know the scheme ${quote(scheme)}`);
        }
        const id = ask(host.request, method, url, headers, bytes);
        const body = emptyBody(() => {
            if (mapDelete(pending, id)) host.cancel(id);
        });
        mapSet(pending, id, { resolve, reject, body, url });
        if (signal !== null) whenAborted(signal, () => abortRequest(id, reasonOf(signal)));
    });
});

const answers = {
    __proto__: null,
    response(id, status, headers) {
        const entry = mapGet(pending, id);
        if (entry === undefined) return;
        entry.resolve(makeResponse(status, headersFromLines(headers), entry.url, entry.body));
    },
    body(id, bytes) {
        const entry = mapGet(pending, id);
        if (entry === undefined) return;
        if (bytes === undefined) {
            abortRequest(id, new $RangeError("Out of memory"));
            return;
        }
        append(entry.body.pieces, bytes);
        settleBody(entry.body);
    },
    end(id) {
        const entry = mapGet(pending, id);
        if (entry === undefined) return;
        mapDelete(pending, id);
        entry.body.isEnded = true;
        settleBody(entry.body);
    },
    failure(id, message) {
        const entry = mapGet(pending, id);
        if (entry === undefined) return;
        mapDelete(pending, id);
        const error = new $TypeError(message);
        entry.reject(error);
        failBody(entry.body, error);
    },
};

define("Headers", Headers);
define("Request", Request);
define("Response", Response);
define("ReadableStream", ReadableStream);
