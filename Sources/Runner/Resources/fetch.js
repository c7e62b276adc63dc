// fetch, Request and Response.
// The host makes calls to other servers if the owner allows them.
// Modes, caches, credentials and redirect modes have no effect: the host follows redirects.

// The bytes of a body, and its default content type; the stream that the app gave instead.
function takeBody(init) {
    if (init === undefined || init === null) return { bytes: null, type: null };
    const stream = broughtPart("streams")?.readableOf(init) ?? null;
    if (stream !== null) {
        if (stream.isDisturbed || stream.reader !== null) throw new $TypeError("the stream is locked or was read");
        return { bytes: null, type: null, stream };
    }
    const blobs = broughtPart("blob");
    if (blobs !== null && blobs.isBlob(init)) {
        const type = blobs.typeOfBlob(init);
        return { bytes: blobs.bytesOfBlob(init), type: type === "" ? null : type };
    }
    if (blobs !== null && blobs.isFormData(init)) return blobs.formBytes(init);
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

const newBlob = (bytes, type) => bringPart("blob").newBlob(bytes, lower(type ?? ""));
const newForm = (bytes, type) => bringPart("blob").formFrom(bytes, type ?? "");
const requestEnums = {
    __proto__: null,
    mode: ["cors", "same-origin", "no-cors", "cors"], credentials: ["same-origin", "omit", "include"],
    cache: ["default", "no-store", "reload", "no-cache", "force-cache", "only-if-cached"],
    redirect: ["follow", "error", "manual"],
    referrerPolicy: [
        "", "no-referrer", "no-referrer-when-downgrade", "same-origin", "origin", "strict-origin",
        "origin-when-cross-origin", "strict-origin-when-cross-origin", "unsafe-url",
    ],
};

// An option that has a few values; the first is the default.
function enumOf(options, name, given) {
    const value = options[name], known = requestEnums[name];
    if (value === undefined) return given ?? known[0];
    const wanted = text(value);
    for (let index = 0; index < known.length; index++) if (known[index] === wanted) return wanted;
    throw new $TypeError(`${quote(wanted)} is not a value of ${name}`);
}

class Request {
    #modes; #object;
    #method = "GET"; #url; #headers; #bytes = null; #signal = null; #body = null;
    constructor(input, init = {}) {
        const options = init ?? {};
        if (!isObject(options)) throw new $TypeError("the options are not an object");
        let headers, inherited = null;
        if (isObject(input) && #method in input) {
            this.#method = input.#method;
            this.#url = input.#url;
            this.#signal = input.#signal;
            if (input.#body !== null && (options.body === undefined || options.body === null)) {
                if (isBodyUsed(input.#body) || isBodyLocked(input.#body)) {
                    throw new $TypeError("the body of the request was already read");
                }
                inherited = input;
            }
            headers = input.#headers;
        } else {
            this.#url = recordOf(input) ?? parseURL(text(input), baseRecord);
            if (this.#url === null) throw new $TypeError(`${quote(text(input))} is not a valid URL`);
            if (this.#url.username !== "" || this.#url.password !== "") {
                throw new $TypeError("the URL must not contain a password");
            }
        }
        if (this.#url.scheme === "blob") {
            this.#object = isObject(input) && #method in input ? input.#object
                : broughtPart("blob")?.objectOf(writeURL(this.#url, false));
        }
        if (options.method !== undefined) {
            const method = text(options.method), known = upper(method);
            if (!matches(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, method)
                || matches(/^(CONNECT|TRACE|TRACK)$/, known)) {
                throw new $TypeError(`${quote(method)} is not a method`);
            }
            this.#method = matches(/^(DELETE|GET|HEAD|OPTIONS|POST|PUT)$/, known) ? known : method;
        }
        if (options.window !== undefined && options.window !== null) throw new $TypeError("window must be null");
        const given = isObject(input) && #method in input ? input.#modes : null;
        this.#modes = {
            __proto__: null, integrity: text(options.integrity ?? given?.integrity ?? ""),
            keepalive: !!(options.keepalive ?? given?.keepalive),
        };
        for (const name of spread(ownKeys(requestEnums))) this.#modes[name] = enumOf(options, name, given?.[name]);
        if (text(options.mode) === "navigate") throw new $TypeError("the mode must not be navigate");
        if (this.#modes.cache === "only-if-cached" && this.#modes.mode !== "same-origin") {
            throw new $TypeError("only-if-cached needs the mode same-origin");
        }
        if (this.#modes.mode === "no-cors" && !matches(/^(?:GET|HEAD|POST)$/, this.#method)) {
            throw new $TypeError(`${quote(this.#method)} is not possible with the mode no-cors`);
        }
        this.#headers = new Headers(options.headers ?? headers);
        if (options.signal !== undefined) this.#signal = options.signal;
        if (this.#signal !== null && !isSignal(this.#signal)) {
            throw new $TypeError("the signal is not an AbortSignal");
        }
        if (options.body !== undefined && options.body !== null) {
            const { bytes, type, stream } = takeBody(options.body);
            this.#bytes = bytes;
            if (stream !== undefined) {
                if (options.duplex === undefined) throw new $TypeError("a stream as body needs duplex: \"half\"");
                this.#body = bodyOfStream(stream);
            }
            if (type !== null && readHeader(this.#headers, "content-type") === null) {
                setHeader(this.#headers, "content-type", type);
            }
        }
        if ((this.#bytes !== null || this.#body !== null || inherited !== null)
            && (this.#method === "GET" || this.#method === "HEAD")) {
            throw new $TypeError(`a ${this.#method} request has no body`);
        }
        if (this.#bytes !== null) this.#body = bodyOf(this.#bytes);
        if (inherited !== null) {
            // The other request has given its body away.
            this.#bytes = inherited.#bytes;
            const body = inherited.#body;
            this.#body = this.#bytes !== null && body.stream === null ? bodyOf(this.#bytes)
                : bodyOfStream(streamOfBody(body));
            inherited.#body = emptyBody(null);
            inherited.#body.isUsed = inherited.#body.isEnded = true;
        }
    }
    get method() { return this.#method; }
    get url() { return writeURL(this.#url); }
    get headers() { return this.#headers; }
    get signal() { return this.#signal ??= new AbortSignal(creation); }
    get body() {
        return this.#body === null ? null : bringPart("streams").publicReadable(streamOfBody(this.#body));
    }
    get bodyUsed() { return isBodyUsed(this.#body); }
    get mode() { return this.#modes.mode; }
    get credentials() { return this.#modes.credentials; }
    get cache() { return this.#modes.cache; }
    get redirect() { return this.#modes.redirect; }
    get referrerPolicy() { return this.#modes.referrerPolicy; }
    get integrity() { return this.#modes.integrity; }
    get keepalive() { return this.#modes.keepalive; }
    get referrer() { return "about:client"; }
    get destination() { return ""; }
    get duplex() { return "half"; }
    get isHistoryNavigation() { return false; }
    get isReloadNavigation() { return false; }
    blob() { return collectBody(this.#body, (bytes) => newBlob(bytes, readHeader(this.#headers, "content-type"))); }
    formData() { return collectBody(this.#body, (bytes) => newForm(bytes, readHeader(this.#headers, "content-type"))); }
    text() { return collectBody(this.#body, withoutMark); }
    json() { return collectBody(this.#body, (bytes) => parseJSON(withoutMark(bytes))); }
    bytes() { return collectBody(this.#body, (bytes) => bytes); }
    arrayBuffer() { return collectBody(this.#body, typedArrayBuffer); }
    clone() {
        const body = this.#body, copy = body === null ? null : cloneBody(body);
        this.#body = null;
        const request = new Request(this);
        this.#body = body;
        request.#bytes = this.#bytes;
        request.#body = copy;
        return request;
    }
    static partsOf(request) {
        return {
            method: request.#method, url: writeURL(request.#url, false),
            scheme: request.#url.scheme, headers: headerLines(request.#headers),
            bytes: request.#bytes ?? new $Uint8Array(0), signal: request.#signal,
            object: request.#object, body: request.#body, redirect: request.#modes.redirect,
        };
    }
}
const { partsOf } = Request;
delete Request.partsOf;
finishClass(Request, "Request");

class Response {
    #status; #statusText; #headers; #url = ""; #body = null; #isRedirected = false; #isError = false;
    constructor(init = null, options = {}) {
        if (options !== undefined && options !== null && !isObject(options)) {
            throw new $TypeError("the options are not an object");
        }
        this.#status = options?.status === undefined ? 200 : trunc(+options.status) & 0xffff;
        if (!isInteger(this.#status) || this.#status < 200 || this.#status > 599) {
            throw new $RangeError("the status is not between 200 and 599");
        }
        this.#statusText = options?.statusText === undefined ? "" : text(options.statusText);
        if (matches(/[^\t\x20-\x7e\x80-\xff]/, this.#statusText)) throw new $TypeError("the status text is not valid");
        this.#headers = new Headers(options?.headers);
        const { bytes, type, stream } = takeBody(init);
        if (bytes !== null) this.#body = bodyOf(bytes);
        if (stream !== undefined) this.#body = bodyOfStream(stream);
        if (this.#body !== null && matches(/^(?:101|103|204|205|304)$/, text(this.#status))) {
            throw new $TypeError(`a response with the status ${this.#status} has no body`);
        }
        if (type !== null && readHeader(this.#headers, "content-type") === null) {
            setHeader(this.#headers, "content-type", type);
        }
    }
    static json(data, options = {}) {
        const source = stringifyJSON(data);
        if (source === undefined) throw new $TypeError("the value has no JSON");
        const response = new Response(source, options);
        const given = options?.headers === undefined ? null
            : readHeader(new Headers(options.headers), "content-type");
        if (given === null) response.headers.set("content-type", "application/json");
        return response;
    }
    static error() {
        const response = new Response();
        response.#status = 0;
        response.#isError = true;
        lockHeaders(response.#headers);
        return response;
    }
    static redirect(url, status = 302) {
        const record = parseURL(text(url), baseRecord);
        if (record === null) throw new $TypeError(`${quote(text(url))} is not a valid URL`);
        if (!matches(/^30[12378]$/, text(status))) throw new $RangeError(`${text(status)} is not the status of a redirect`);
        const response = new Response();
        response.#status = +status;
        setHeader(response.#headers, "location", writeURL(record));
        lockHeaders(response.#headers);
        return response;
    }
    get status() { return this.#status; }
    get ok() { return this.#status >= 200 && this.#status < 300; }
    get statusText() { return this.#statusText; }
    get headers() { return this.#headers; }
    get url() { return this.#url; }
    get redirected() { return this.#isRedirected; }
    get type() {
        if (this.#isError) return "error";
        return this.#url === "" ? "default" : isElsewhere(parseURL(this.#url, baseRecord)) ? "cors" : "basic";
    }
    get body() {
        return this.#body === null ? null : bringPart("streams").publicReadable(streamOfBody(this.#body));
    }
    get bodyUsed() { return isBodyUsed(this.#body); }
    blob() { return collectBody(this.#body, (bytes) => newBlob(bytes, readHeader(this.#headers, "content-type"))); }
    formData() { return collectBody(this.#body, (bytes) => newForm(bytes, readHeader(this.#headers, "content-type"))); }
    text() { return collectBody(this.#body, withoutMark); }
    json() { return collectBody(this.#body, (bytes) => parseJSON(withoutMark(bytes))); }
    bytes() { return collectBody(this.#body, (bytes) => bytes); }
    arrayBuffer() { return collectBody(this.#body, typedArrayBuffer); }
    clone() {
        const body = this.#body === null ? null : cloneBody(this.#body);
        const copy = new Response();
        copy.#status = this.#status;
        copy.#statusText = this.#statusText;
        copy.#headers = new Headers(this.#headers);
        copy.#url = this.#url;
        copy.#isRedirected = this.#isRedirected;
        copy.#body = body;
        copy.#isError = this.#isError;
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
finishClass(Response, "Response");

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
    if (isLocal(url)) return startLocal(method, url, listener);
    const id = ask(host.request, method, url, headers, bytes);
    mapSet(pending, id, listener);
    return id;
}

// Delivers the content of a URL that needs no request in a turn of its own.
function startLocal(method, url, listener) {
    const content = localContent(url, method);
    const id = startTimer(() => {
        if (content === null) return listener.fail(new $TypeError("Failed to fetch"));
        listener.head(200, localHeaders(content), "");
        listener.piece(bytesOf(content.bytes));
        listener.end();
    }, [], 0, false, false);
    return -id;
}

function dropRequest(id) {
    if (id < 0) {
        stopTimer(-id);
        return;
    }
    if (mapDelete(pending, id)) host.cancel(id);
}

define("fetch", function fetch(input, init) {
    return new $Promise((resolve, reject) => {
        const { method, url, scheme, headers, bytes, signal, body: sent, object } = partsOf(new Request(input, init));
        if (signal !== null && isAborted(signal)) {
            reject(reasonOf(signal));
            return;
        }
        if (isLocal(url)) {
            const content = localContent(url, method, object);
            if (content === null) throw new $TypeError("Failed to fetch");
            resolve(makeResponse(200, headersFromLines(localHeaders(content)), url, bodyOf(content.bytes), false));
            return;
        }
        if (scheme !== "http" && scheme !== "https") {
            throw new $TypeError(`fetch does not know the scheme ${quote(scheme)}`);
        }
        // A stream is sent when it has ended: the host takes whole requests.
        if (sent !== null && sent.stream !== null) {
            collectStream(sent.stream, (collected) => safely(() => begin(collected), undefined), reject);
        } else {
            begin(bytes);
        }

        function begin(bytes) {
            let forget = () => {};
            const body = emptyBody(() => {
                forget();
                dropRequest(id);
            });
            const fail = (error) => {
                forget();
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
                    forget();
                    body.isEnded = true;
                    settleBody(body);
                },
            });
            if (signal !== null) {
                forget = whenAborted(signal, () => {
                    if (!mapHas(pending, id)) return;
                    dropRequest(id);
                    fail(reasonOf(signal));
                });
            }
        }
    });
});

const isLocal = (url) => startsWith(url, "blob:") || startsWith(url, "data:");
const localHeaders = ({ bytes, type }) => `content-length\n${viewLength(bytes)}\ncontent-type\n${type}\n`;

// The content of a URL that needs no request, its bytes and type; null if there is none.
function localContent(url, method, object = undefined) {
    if (!startsWith(url, "blob:")) return dataOf(url);
    const blobs = broughtPart("blob"), blob = object ?? blobs?.objectOf(url);
    if (blob === undefined || method !== "GET") return null;
    return { bytes: blobs.bytesOfBlob(blob), type: blobs.typeOfBlob(blob) };
}

// The content of a `data:` URL; null if it is invalid.
function dataOf(url) {
    const comma = indexOf(url, ",");
    if (comma < 0) return null;
    let type = execute(/^[\t\n\f\r ]*([^]*?)[\t\n\f\r ]*$/, slice(url, 5, comma))[1];
    const base64 = execute(/; *base64$/i, type), content = percentDecodeBytes(slice(url, comma + 1));
    if (base64 !== null) type = slice(type, 0, base64.index);
    if (startsWith(type, ";")) type = `text/plain${type}`;
    if (!matches(/^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+\s*(?:;|$)/, type)) type = "text/plain;charset=US-ASCII";
    if (base64 === null) return { bytes: content, type };
    const bytes = safely(() => bytesOfBase64(decodeText(content, false)), null);
    return bytes === null ? null : { bytes, type };
}

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
