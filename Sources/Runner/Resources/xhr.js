// XMLHttpRequest, after https://xhr.spec.whatwg.org.
// Not supported: documents as responses, credentials.
const reasonPhrases = {
    __proto__: null, 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
    206: "Partial Content", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    409: "Conflict", 410: "Gone", 412: "Precondition Failed", 413: "Content Too Large",
    415: "Unsupported Media Type", 421: "Misdirected Request", 422: "Unprocessable Content",
    429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    507: "Insufficient Storage",
};
const forbiddenHeaders = /^(?:accept-charset|accept-encoding|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/;

class ProgressEvent extends Event {
    #computable; #loaded; #total;
    constructor(type, options = {}) {
        super(type, options);
        this.#computable = !!options?.lengthComputable;
        this.#loaded = +(options?.loaded ?? 0);
        this.#total = +(options?.total ?? 0);
    }
    get lengthComputable() { return this.#computable; }
    get loaded() { return this.#loaded; }
    get total() { return this.#total; }
}

// Not `creation`: an app could put a constructor of its own between a class and its base, and receive the key.
const requestKey = { __proto__: null };

class XMLHttpRequestEventTarget extends EventTarget {
    constructor(key) {
        if (key !== requestKey) throw new $TypeError("Illegal constructor");
        super();
    }
}
addHandlers(XMLHttpRequestEventTarget.prototype,
    ["loadstart", "progress", "abort", "error", "load", "timeout", "loadend"]);

class XMLHttpRequestUpload extends XMLHttpRequestEventTarget {}

class XMLHttpRequest extends XMLHttpRequestEventTarget {
    #state = 0; #isSent = false; #isAsync = true; #method = "GET"; #scheme = "";
    #headers = new Headers(); #timeout = 0; #withCredentials = false; #upload = null;
    #type = ""; #status = 0; #answer = null; #pieces = []; #loaded = 0; #hasFailed = false;
    #cached = undefined; #id = 0; #timer = 0; #url = ""; #place = "";
    #override = null;
    constructor() { super(requestKey); }
    get readyState() { return this.#state; }
    get status() { return this.#status; }
    get statusText() { return this.#state < 2 ? "" : reasonPhrases[this.#status] ?? ""; }
    get responseURL() { return this.#answer === null ? "" : this.#place; }
    get upload() { return this.#upload ??= new XMLHttpRequestUpload(requestKey); }
    get timeout() { return this.#timeout; }
    set timeout(value) {
        if (this.#state > 0 && !this.#isAsync) {
            throw new $DOMException("a synchronous request has no timeout", "InvalidAccessError");
        }
        const number = trunc(+value);
        this.#timeout = number > 0 && number <= 0xffffffff ? number : 0;
    }
    get withCredentials() { return this.#withCredentials; }
    set withCredentials(value) {
        if (this.#state > 1 || this.#isSent) throw XMLHttpRequest.#wrongState();
        this.#withCredentials = !!value;
    }
    get responseType() { return this.#type; }
    set responseType(value) {
        const type = text(value);
        if (type !== "" && type !== "text" && type !== "json" && type !== "arraybuffer"
            && type !== "blob") return;
        if (this.#state >= 3) throw XMLHttpRequest.#wrongState();
        if (this.#state > 0 && !this.#isAsync) {
            throw new $DOMException("a synchronous request has no responseType", "InvalidAccessError");
        }
        this.#type = type;
    }
    get responseText() {
        if (this.#type !== "" && this.#type !== "text") throw XMLHttpRequest.#wrongState();
        if (this.#state < 3 || this.#hasFailed) return "";
        return this.#text();
    }
    get responseXML() {
        if (this.#type !== "") throw XMLHttpRequest.#wrongState();
        return null;
    }
    get response() {
        if (this.#type === "" || this.#type === "text") return this.responseText;
        if (this.#state !== 4 || this.#hasFailed) return null;
        if (this.#cached !== undefined) return this.#cached;
        const bytes = joinBytes(this.#pieces);
        if (this.#type === "arraybuffer") return this.#cached = typedArrayBuffer(bytes);
        if (this.#type === "blob") {
            return this.#cached = newBlob(bytes, this.#override ?? this.#contentType());
        }
        return this.#cached = viewLength(bytes) === 0 ? null
            : safely(() => parseJSON(withoutMark(bytes)), null);
    }
    open(method, url, isAsync = true) {
        const name = text(method), known = upper(name);
        if (!matches(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, name)) {
            throw new $DOMException(`${quote(name)} is not a method`, "SyntaxError");
        }
        if (matches(/^(CONNECT|TRACE|TRACK)$/, known)) {
            throw new $DOMException(`the method ${quote(name)} is not allowed`, "SecurityError");
        }
        const record = recordOf(url) ?? parseURL(text(url), baseRecord);
        if (record === null) throw new $DOMException(`${quote(text(url))} is not a valid URL`, "SyntaxError");
        if (!isAsync && (this.#timeout !== 0 || this.#type !== "")) {
            throw new $DOMException(
                "a synchronous request has no timeout and no responseType", "InvalidAccessError");
        }
        this.#stop();
        this.#isSent = false;
        this.#method = matches(/^(DELETE|GET|HEAD|OPTIONS|POST|PUT)$/, known) ? known : name;
        this.#scheme = record.scheme;
        // User names and passwords are ignored: the host authenticates the app.
        this.#url = writeURL({ ...record, username: "", password: "" }, false);
        this.#isAsync = !!isAsync;
        this.#headers = new Headers();
        this.#forget();
        if (this.#state !== 1) this.#enter(1);
    }
    setRequestHeader(name, value) {
        if (this.#state !== 1 || this.#isSent) throw XMLHttpRequest.#wrongState();
        const probe = safely(() => { const one = new Headers(); addHeader(one, name, value); return one; }, null);
        if (probe === null) throw new $DOMException(`${quote(text(name))} is not a header`, "SyntaxError");
        if (matches(forbiddenHeaders, lower(text(name)))) return;
        const before = readHeader(this.#headers, lower(text(name)));
        const added = readHeader(probe, lower(text(name)));
        replaceHeader(this.#headers, name, before === null ? added : `${before}, ${added}`);
    }
    overrideMimeType(type) {
        if (arguments.length === 0) throw new $TypeError("a type is needed");
        const wanted = text(type);
        if (this.#state >= 3) throw XMLHttpRequest.#wrongState();
        this.#override = wanted;
    }
    getResponseHeader(name) {
        return this.#answer === null ? null
            : safely(() => readHeader(this.#answer, lower(text(name))), null);
    }
    getAllResponseHeaders() {
        if (this.#answer === null) return "";
        const fields = sortedHeaders(this.#answer);
        let lines = "";
        for (let index = 0; index < fields.length; index++) {
            lines += `${fields[index].name}: ${fields[index].value}\r\n`;
        }
        return lines;
    }
    send(body = null) {
        if (this.#state !== 1 || this.#isSent) throw XMLHttpRequest.#wrongState();
        const isBare = this.#method === "GET" || this.#method === "HEAD";
        const { bytes, type } = takeBody(isBare ? null : body);
        if (type !== null && readHeader(this.#headers, "content-type") === null) {
            setHeader(this.#headers, "content-type", type);
        }
        const content = bytes ?? new $Uint8Array(0), size = viewLength(content);
        this.#hasFailed = false;
        if (!this.#isAsync) return this.#sendAndWait(content);
        this.#isSent = true;
        this.#fire("loadstart", 0, 0);
        if (size > 0) this.#fireUpload("loadstart", 0, size);
        if (this.#state !== 1 || !this.#isSent) return;
        const lines = headerLines(this.#headers);
        let id;
        const isCurrent = () => this.#id === id && this.#isSent;
        try {
            this.#check();
            id = startRequest(this.#method, this.#url, lines, content, {
                __proto__: null, url: this.#url,
                head: (status, fields, place) => {
                    if (!isCurrent()) return;
                    if (size > 0) {
                        this.#fireUpload("progress", size, size);
                        this.#fireUpload("load", size, size);
                        this.#fireUpload("loadend", size, size);
                    }
                    if (!isCurrent()) return;
                    this.#begin(status, fields, place);
                    this.#enter(2);
                },
                piece: (piece) => {
                    if (!isCurrent()) return;
                    append(this.#pieces, piece);
                    this.#cached = undefined;
                    this.#loaded += viewLength(piece);
                    this.#enter(3);
                    if (isCurrent()) this.#fire("progress", this.#loaded, this.#total());
                },
                end: () => { if (isCurrent()) this.#finish(); },
                fail: () => { if (isCurrent()) this.#fail("error"); },
            });
        } catch {
            // As in a browser, a request that cannot be sent fails asynchronously.
            this.#timer = startTimer(() => { if (this.#isSent) this.#fail("error"); }, [], 0, false, false);
            return;
        }
        this.#id = id;
        if (this.#timeout > 0) {
            this.#timer = startTimer(() => { if (isCurrent()) this.#fail("timeout"); },
                [], this.#timeout, false, true);
        }
    }
    abort() {
        const wasSent = this.#isSent;
        this.#stop();
        if ((this.#state === 1 && wasSent) || this.#state === 2 || this.#state === 3) this.#fail("abort");
        if (this.#state === 4) {
            this.#state = 0;
            this.#forget();
        }
    }
    #check() {
        if (this.#scheme !== "http" && this.#scheme !== "https" && !isLocal(this.#url)) {
            throw new $TypeError(`the scheme ${quote(this.#scheme)} is not supported`);
        }
    }
    #sendAndWait(content) {
        let answer;
        try {
            this.#check();
            answer = isLocal(this.#url) ? this.#localAnswer()
                : ask(host.requestAndWait, this.#method, this.#url, headerLines(this.#headers), content, 0);
        } catch (error) {
            this.#state = 4;
            this.#forget();
            this.#hasFailed = true;
            const { message } = failureOf(this.#url, error.message);
            throw new $DOMException(`${message} (${this.#url})`, "NetworkError");
        }
        this.#begin(answer[0], answer[1], answer[3]);
        if (viewLength(answer[2]) > 0) append(this.#pieces, answer[2]);
        this.#loaded = viewLength(answer[2]);
        this.#finish();
    }
    #localAnswer() {
        const content = localContent(this.#url, this.#method);
        if (content === null) throw new $TypeError("there is no such object");
        return [200, localHeaders(content), bytesOf(content.bytes), ""];
    }
    #begin(status, lines, place) {
        this.#status = status;
        this.#place = place === "" ? this.#url : place;
        this.#answer = headersFromLines(lines);
        this.#pieces = [];
        this.#loaded = 0;
    }
    #finish() {
        stopTimer(this.#timer);
        this.#id = 0;
        this.#isSent = false;
        this.#enter(4);
        this.#fire("load", this.#loaded, this.#total());
        this.#fire("loadend", this.#loaded, this.#total());
    }
    #fail(event) {
        this.#stop();
        this.#isSent = false;
        this.#forget();
        this.#hasFailed = true;
        this.#enter(4);
        this.#fire(event, 0, 0);
        this.#fire("loadend", 0, 0);
    }
    // Ends an active request without events.
    #stop() {
        stopTimer(this.#timer);
        if (this.#id !== 0) dropRequest(this.#id);
        this.#id = 0;
    }
    #forget() {
        this.#status = 0;
        this.#answer = null;
        this.#pieces = [];
        this.#loaded = 0;
        this.#hasFailed = false;
        this.#cached = undefined;
    }
    #contentType() { return this.#answer === null ? null : readHeader(this.#answer, "content-type"); }
    #text() {
        const labels = [charsetOf(this.#override ?? ""), charsetOf(this.#contentType() ?? "")];
        return this.#cached ??= decodeMarked(joinBytes(this.#pieces), decoderOf(labels[0] ?? labels[1]));
    }
    #total() {
        const length = this.#answer === null ? null : readHeader(this.#answer, "content-length");
        return length !== null && matches(/^\d+$/, length) ? +length : 0;
    }
    #enter(state) {
        this.#state = state;
        dispatchTo(this, new Event("readystatechange"));
    }
    #fire(type, loaded, total) {
        dispatchTo(this, new ProgressEvent(type, { lengthComputable: total > 0, loaded, total }));
    }
    #fireUpload(type, loaded, total) {
        if (this.#upload === null) return;
        dispatchTo(this.#upload, new ProgressEvent(type, { lengthComputable: true, loaded, total }));
    }
    static #wrongState() {
        return new $DOMException("the request is not in a state for this", "InvalidStateError");
    }
}
addHandlers(XMLHttpRequest.prototype, ["readystatechange"]);
{
    const states = ["UNSENT", "OPENED", "HEADERS_RECEIVED", "LOADING", "DONE"];
    for (let state = 0; state < states.length; state++) {
        const constant = { __proto__: null, value: state, enumerable: true };
        setProperty(XMLHttpRequest, states[state], constant);
        setProperty(XMLHttpRequest.prototype, states[state], constant);
    }
}

define("ProgressEvent", ProgressEvent);
define("XMLHttpRequestEventTarget", XMLHttpRequestEventTarget);
define("XMLHttpRequestUpload", XMLHttpRequestUpload);
define("XMLHttpRequest", XMLHttpRequest);
