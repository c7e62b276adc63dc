// WebSocket, after https://websockets.spec.whatwg.org. The host speaks with the server: its messages arrive as a
// stream of events, and those of the app are sent by calls, one at a time.

const socketsPath = "/api/v1/websockets";
// The maximum size of a message in bytes, and that of the messages that share a call.
const longestMessage = 1 << 20, longestBatch = 64 << 10;
const longestReason = 123;

const socketStates = { __proto__: null, CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 };
const socketPorts = { __proto__: null, http: "ws", https: "wss" };

class CloseEvent extends Event {
    #wasClean; #code; #reason;
    constructor(type, options = {}) {
        if (arguments.length === 0) throw new $TypeError("an event needs a type");
        super(type, options);
        this.#wasClean = !!options?.wasClean;
        this.#code = toUnsignedShort(+(options?.code ?? 0));
        this.#reason = wellFormed(text(options?.reason ?? ""));
    }
    get wasClean() { return this.#wasClean; }
    get code() { return this.#code; }
    get reason() { return this.#reason; }
}

const toUnsignedShort = (number) => (isFiniteNumber(number) ? trunc(number) & 0xffff : 0);

// [Clamp] of Web IDL: the nearest integer, the even one of two.
function clampedShort(number) {
    if (!(number > 0)) return 0;
    if (number >= 0xffff) return 0xffff;
    const below = floor(number), rest = number - below;
    return rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1;
}

function protocolsFrom(value) {
    const names = [];
    if (isObject(value) && typeof value[iterator] === "function") {
        for (const name of value) append(names, text(name));
    } else {
        append(names, text(value));
    }
    for (let index = 0; index < names.length; index++) {
        if (!matches(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, names[index])) {
            throw new $DOMException(`${quote(names[index])} is not a subprotocol`, "SyntaxError");
        }
        for (let other = 0; other < index; other++) {
            if (names[other] === names[index]) {
                throw new $DOMException(`the subprotocol ${quote(names[index])} is repeated`, "SyntaxError");
            }
        }
    }
    return names;
}

class WebSocket extends EventTarget {
    #url; #origin; #state = 0; #binaryType = "blob"; #protocol = ""; #buffered = 0;
    // The identifier of the host, the request for the events, and what of a refusal has arrived.
    #id = null; #request = 0; #reader = null; #status = 0; #refusal = [];
    // Messages that are not sent, from the index `first` on, and the close that follows them.
    #queue = []; #first = 0; #isSending = false; #closing = null;
    constructor(url, protocols = []) {
        if (arguments.length === 0) throw new $TypeError("an address is needed");
        super();
        const record = parseURL(text(url), baseOf());
        if (record === null) throw new $DOMException("the address is not valid", "SyntaxError");
        record.scheme = socketPorts[record.scheme] ?? record.scheme;
        if (record.scheme !== "ws" && record.scheme !== "wss") {
            throw new $DOMException(`a WebSocket has no scheme ${quote(record.scheme)}`, "SyntaxError");
        }
        if (record.fragment !== null) {
            throw new $DOMException("the address of a WebSocket has no fragment", "SyntaxError");
        }
        const names = protocolsFrom(protocols);
        this.#url = writeURL(record);
        this.#origin = originOf(this.#url);
        this.#open(names);
    }
    get url() { return this.#url; }
    get readyState() { return this.#state; }
    get bufferedAmount() { return this.#buffered; }
    get extensions() { return ""; }
    get protocol() { return this.#protocol; }
    get binaryType() { return this.#binaryType; }
    set binaryType(value) {
        const wanted = text(value);
        if (wanted === "blob" || wanted === "arraybuffer") this.#binaryType = wanted;
    }
    send(data) {
        if (arguments.length === 0) throw new $TypeError("a message is needed");
        const message = messageFrom(data);
        if (this.#state === 0) throw new $DOMException("the WebSocket is not open", "InvalidStateError");
        this.#buffered += message.size;
        if (this.#state !== 1) return;
        if (message.size > longestMessage) {
            note(`A message of ${message.size} bytes to ${this.#origin} exceeds the limit of ${longestMessage}.`);
            this.#state = 2;
            this.#later();
            return;
        }
        append(this.#queue, message);
        this.#flush();
    }
    close(code, reason) {
        const status = code === undefined ? null : clampedShort(+code);
        if (status !== null && status !== 1000 && (status < 3000 || status > 4999)) {
            throw new $DOMException("the code is neither 1000 nor from 3000 to 4999", "InvalidAccessError");
        }
        const why = reason === undefined ? "" : wellFormed(text(reason));
        if (viewLength(host.encode(why)) > longestReason) {
            throw new $DOMException(`the reason has more than ${longestReason} bytes`, "SyntaxError");
        }
        if (this.#state >= 2) return;
        const isOpen = this.#state === 1;
        this.#state = 2;
        if (!isOpen) return this.#later();
        this.#closing = { __proto__: null, code: status, reason: why };
        this.#flush();
    }
    // Fails the connection in a turn of its own.
    #later() {
        startTimer(() => this.#fail(), [], 0, false, false);
    }
    #open(protocols) {
        const url = `${baseOrigin()}${socketsPath}`;
        const names = [];
        for (let index = 0; index < protocols.length; index++) append(names, stringifyJSON(protocols[index]));
        const body = `{"url":${stringifyJSON(this.#url)},"protocols":[${arrayJoin(names, ",")}]}`;
        this.#reader = new EventReader("", (type, data) => { if (data !== null) this.#take(type, data); }, () => {});
        try {
            this.#request = startRequest(
                "POST", url, "accept\ntext/event-stream\ncontent-type\napplication/json\n", host.encode(body), {
                    __proto__: null, url,
                    head: (status) => { this.#status = status; },
                    piece: (bytes) => {
                        if (this.#status === 200) this.#reader.read(bytes);
                        else append(this.#refusal, bytes);
                    },
                    end: () => this.#end(),
                    fail: () => this.#end(),
                });
        } catch {
            // Too many requests are active.
            this.#later();
        }
    }
    #take(type, data) {
        const value = parseJSON(data);
        switch (type) {
        case "open":
            this.#id = value.id;
            if (this.#state !== 0) return;
            this.#protocol = value.protocol;
            this.#state = 1;
            dispatchTo(this, new Event("open"));
            return;
        case "message":
            if (this.#state === 1) this.#receive(value);
            return;
        case "close":
            if (value.problem !== undefined) this.#explain(value.problem);
            this.#finish(value.code, value.reason, value.clean);
            return;
        case "problem":
            this.#explain(reasonIn(value));
            this.#fail();
        }
    }
    #receive(value) {
        let data = value.text;
        if (data === undefined) {
            const bytes = bytesOfBase64(value.base64);
            data = this.#binaryType === "blob" ? bringPart("blob").newBlob(bytes, "") : typedArrayBuffer(bytes);
        }
        const { MessageEvent } = bringPart("messaging").globals;
        dispatchTo(this, new MessageEvent("message", { data, origin: this.#origin }));
    }
    // The stream of events has ended, or there is none.
    #end() {
        this.#request = 0;
        if (this.#state === 3) return;
        if (this.#status !== 0 && this.#status !== 200) {
            const problem = safely(() => parseJSON(decodeText(joinBytes(this.#refusal), false)), null);
            if (problem !== null) this.#explain(reasonIn(problem));
        }
        this.#fail();
    }
    // As in a browser, only the console has the reason of a failure.
    #explain(reason) {
        host.console(4, `The WebSocket to ${this.#origin} failed: ${reason}`);
    }
    #fail() {
        this.#finish(1006, "", false);
    }
    #finish(code, reason, wasClean) {
        if (this.#state === 3) return;
        this.#state = 3;
        this.#reader?.stop();
        if (this.#request !== 0) dropRequest(this.#request);
        this.#request = 0;
        this.#queue = [];
        this.#first = 0;
        if (!wasClean) dispatchTo(this, new Event("error"));
        dispatchTo(this, new CloseEvent("close", { wasClean, code, reason }));
    }
    // Sends what waits, unless a call is under way.
    #flush() {
        if (this.#isSending || this.#state === 3 || this.#id === null) return;
        if (this.#first < this.#queue.length) {
            const { type, bytes, size } = this.#nextBatch();
            this.#call("POST", "/messages", `content-type\n${type}\n`, bytes, () => { this.#buffered -= size; });
        } else if (this.#closing !== null) {
            const { code, reason } = this.#closing;
            this.#closing = null;
            const query = code === null ? "" : `?code=${code}&reason=${percentEncoded(reason)}`;
            this.#call("DELETE", query, "", new $Uint8Array(0), () => {});
        }
    }
    // A large message has a call of its own, in which it is not encoded.
    #nextBatch() {
        const first = this.#queue[this.#first];
        if (first.size > longestBatch || (first.bytes !== null && first.size > longestBatch / 16)) {
            this.#drop();
            return first.bytes === null
                ? { type: "text/plain", bytes: host.encode(first.text), size: first.size }
                : { type: "application/octet-stream", bytes: first.bytes, size: first.size };
        }
        let lines = "", size = 0;
        while (this.#first < this.#queue.length) {
            const next = this.#queue[this.#first];
            if (size > 0 && size + next.size > longestBatch) break;
            lines += next.bytes === null
                ? `{"text":${stringifyJSON(next.text)}}\n` : `{"base64":"${encodeBase64(latin(next.bytes))}"}\n`;
            size += next.size;
            this.#drop();
        }
        return { type: "application/x-ndjson", bytes: host.encode(lines), size };
    }
    #drop() {
        this.#queue[this.#first++] = undefined;
        if (this.#first < this.#queue.length) return;
        this.#queue = [];
        this.#first = 0;
    }
    #call(method, path, lines, bytes, then) {
        const url = `${baseOrigin()}${socketsPath}/${this.#id}${path}`;
        let status = 0;
        const finish = () => {
            this.#isSending = false;
            // A message that could not be sent was not sent because the connection has ended: an event says so.
            if (status !== 204) return;
            then();
            this.#flush();
        };
        this.#isSending = true;
        try {
            startRequest(method, url, lines, bytes, {
                __proto__: null, url, head: (code) => { status = code; }, piece: () => {}, end: finish, fail: finish,
            });
        } catch {
            // Too many requests are active.
            this.#isSending = false;
            this.#later();
        }
    }
}
addHandlers(WebSocket.prototype, ["open", "message", "error", "close"]);
for (const name in socketStates) {
    const constant = { __proto__: null, value: socketStates[name], enumerable: true };
    setProperty(WebSocket, name, constant);
    setProperty(WebSocket.prototype, name, constant);
}

function messageFrom(data) {
    const bytes = bytesOf(data) ?? bytesIfBlob(data);
    if (bytes !== null) return { __proto__: null, text: "", bytes, size: viewLength(bytes) };
    const string = wellFormed(text(data));
    return { __proto__: null, text: string, bytes: null, size: viewLength(host.encode(string)) };
}

function bytesIfBlob(value) {
    if (!isObject(value)) return null;
    const { isBlob, bytesOfBlob } = bringPart("blob");
    return isBlob(value) ? bytesOfBlob(value) : null;
}

function percentEncoded(string) {
    const bytes = host.encode(string);
    let result = "";
    for (let index = 0; index < viewLength(bytes); index++) result += hexByte(bytes[index]);
    return result;
}

const reasonIn = ({ detail, fix }) => (fix === undefined ? detail : `${detail} ${fix}`);

function latin(bytes) {
    let string = "";
    for (let index = 0; index < viewLength(bytes); index++) string += fromCharCode(bytes[index]);
    return string;
}

finishClass(CloseEvent, "CloseEvent");
finishClass(WebSocket, "WebSocket");

return { __proto__: null, globals: { __proto__: null, WebSocket, CloseEvent } };
