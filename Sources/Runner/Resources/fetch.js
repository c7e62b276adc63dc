// fetch, Request and Response.
// The host makes calls to other servers if the owner allows them.
// Not supported: Blob and FormData, `clone` of an incomplete response, modes, caches, credentials, and
// redirect modes: the host follows redirects.

// The bytes of a body, and its default content type.
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
                throw new $TypeError("the URL must not contain a password");
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
    #status; #statusText; #headers; #url = ""; #body = null; #stream = null; #isRedirected = false;
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
    get redirected() { return this.#isRedirected; }
    get type() {
        return this.#url === "" ? "default" : isElsewhere(parseURL(this.#url, baseRecord)) ? "cors" : "basic";
    }
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
            throw new $TypeError("only a complete response whose body was not read can be cloned");
        }
        const copy = new Response();
        copy.#status = this.#status;
        copy.#statusText = this.#statusText;
        copy.#headers = new Headers(this.#headers);
        copy.#url = this.#url;
        copy.#isRedirected = this.#isRedirected;
        if (body !== null) {
            copy.#body = emptyBody(null);
            copy.#body.isEnded = true;
            for (let index = body.first; index < body.pieces.length; index++) {
                append(copy.#body.pieces, bytesOf(body.pieces[index]));
            }
        }
        return copy;
    }
    static answer(status, headers, url, body, isRedirected) {
        const response = new Response();
        response.#isRedirected = isRedirected;
        response.#status = status;
        response.#headers = headers;
        response.#url = url;
        response.#body = status === 204 || status === 205 || status === 304 ? null : body;
        return response;
    }
}
const { answer: makeResponse } = Response;
delete Response.answer;

// Whether a URL belongs to another server; the own host has any port.
function isElsewhere(record) {
    return record.scheme !== baseRecord.scheme || record.host !== baseRecord.host;
}

// Why a call failed. For a call to another server the app learns as little as in a browser; the reason
// is written to the console.
function failureOf(url, message) {
    const record = parseURL(url, baseRecord);
    if (!isElsewhere(record)) return new $TypeError(message);
    host.console(4, `A call to ${record.scheme}://${hostText(record)} failed: ${message}`);
    return new $TypeError("Failed to fetch");
}

// Requests without a complete response, by the identifier from the process.
const pending = new $Map();

// Sends a request; `listener` has `url`, `head`, `piece`, `end` and `fail`.
function startRequest(method, url, headers, bytes, listener) {
    const id = ask(host.request, method, url, headers, bytes);
    mapSet(pending, id, listener);
    return id;
}

function dropRequest(id) {
    if (mapDelete(pending, id)) host.cancel(id);
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
        const body = emptyBody(() => dropRequest(id));
        const fail = (error) => {
            reject(error);
            failBody(body, error);
        };
        const id = startRequest(method, url, headers, bytes, {
            __proto__: null, url, fail,
            head: (status, lines, place) => resolve(makeResponse(
                status, headersFromLines(lines), place === "" ? url : place, body, place !== "")),
            piece: (piece) => {
                append(body.pieces, piece);
                settleBody(body);
            },
            end: () => {
                body.isEnded = true;
                settleBody(body);
            },
        });
        if (signal !== null) {
            whenAborted(signal, () => {
                if (!mapHas(pending, id)) return;
                dropRequest(id);
                fail(reasonOf(signal));
            });
        }
    });
});

const answers = {
    __proto__: null,
    response(id, status, headers, place) { mapGet(pending, id)?.head(status, headers, place); },
    body(id, bytes) {
        const listener = mapGet(pending, id);
        if (listener === undefined) return;
        if (bytes === undefined) {
            dropRequest(id);
            listener.fail(new $RangeError("Out of memory"));
            return;
        }
        listener.piece(bytes);
    },
    end(id) {
        const listener = mapGet(pending, id);
        mapDelete(pending, id);
        listener?.end();
    },
    failure(id, message) {
        const listener = mapGet(pending, id);
        mapDelete(pending, id);
        listener?.fail(failureOf(listener.url, message));
    },
};

define("Request", Request);
define("Response", Response);
