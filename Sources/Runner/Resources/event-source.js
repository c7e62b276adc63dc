// EventSource, after https://html.spec.whatwg.org/multipage/server-sent-events.html, for the own origin.
// The host delivers answers of other servers when they are complete, so their event streams are refused.

// The shortest pause before the next attempt, in milliseconds.
const shortestWait = 500;

const states = { __proto__: null, CONNECTING: 0, OPEN: 1, CLOSED: 2 };

class EventSource extends EventTarget {
    #url; #state = 0; #request = 0; #timer = 0; #wait = 3000; #lastId = ""; #withCredentials;
    // The line that has begun, and the fields of the event that has begun.
    #line = []; #skipsFeed = false; #isFirst = true; #data = null; #type = ""; #id = "";
    constructor(url, options = {}) {
        if (arguments.length === 0) throw new $TypeError("an address is needed");
        super();
        const record = parseURL(text(url), baseOf());
        if (record === null) throw new $DOMException("the address is not valid", "SyntaxError");
        this.#url = record;
        this.#withCredentials = !!options?.withCredentials;
        if (isElsewhere(record)) {
            note("Event streams of other servers are not available: the host delivers complete answers only.");
            this.#later(() => this.#fail());
        } else {
            this.#connect();
        }
    }
    get url() { return writeURL(this.#url); }
    get readyState() { return this.#state; }
    get withCredentials() { return this.#withCredentials; }
    close() {
        this.#state = 2;
        this.#drop();
    }
    #later(action, delay = 0) {
        this.#timer = startTimer(() => {
            this.#timer = 0;
            if (this.#state !== 2) action();
        }, [], delay, false, false);
    }
    #drop() {
        if (this.#timer !== 0) stopTimer(this.#timer);
        if (this.#request !== 0) dropRequest(this.#request);
        this.#timer = this.#request = 0;
    }
    #connect() {
        const lines = "accept\ntext/event-stream\ncache-control\nno-store\n"
            + (this.#lastId === "" ? "" : `last-event-id\n${this.#lastId}\n`);
        this.#line = [];
        this.#skipsFeed = false;
        this.#isFirst = true;
        this.#data = null;
        this.#type = "";
        const url = writeURL(this.#url, false);
        try {
            this.#request = startRequest("GET", url, lines, new $Uint8Array(0), {
                __proto__: null, url,
                head: (status, fields) => this.#open(status, fields),
                piece: (bytes) => this.#read(bytes),
                end: () => this.#reconnect(),
                fail: () => this.#reconnect(),
            });
        } catch {
            // Too many requests are active.
            this.#later(() => this.#reconnect());
        }
    }
    #open(status, fields) {
        const type = readHeader(headersFromLines(fields), "content-type") ?? "";
        if (status !== 200 || !matches(/^text\/event-stream\s*(?:;|$)/i, type)) {
            this.#drop();
            this.#fail();
            return;
        }
        this.#state = 1;
        dispatchTo(this, new Event("open"));
    }
    #fail() {
        this.#state = 2;
        dispatchTo(this, new Event("error"));
    }
    #reconnect() {
        this.#request = 0;
        if (this.#state === 2) return;
        this.#state = 0;
        this.#later(() => this.#connect(), max(this.#wait, shortestWait));
        dispatchTo(this, new Event("error"));
    }
    #read(bytes) {
        const size = viewLength(bytes);
        let start = 0;
        for (let index = 0; index < size && this.#state === 1; index++) {
            const byte = bytes[index];
            if (byte === 10 && this.#skipsFeed) {
                this.#skipsFeed = false;
                start = index + 1;
                continue;
            }
            this.#skipsFeed = byte === 13;
            if (byte !== 10 && byte !== 13) continue;
            append(this.#line, part(bytes, start, index));
            start = index + 1;
            const whole = joinBytes(this.#line);
            this.#line = [];
            let line = decodeText(whole, false);
            if (this.#isFirst && charCode(line, 0) === 0xfeff) line = slice(line, 1);
            this.#isFirst = false;
            this.#take(line);
        }
        if (start < size) append(this.#line, part(bytes, start, size));
    }
    #take(line) {
        if (line === "") return this.#deliver();
        const colon = indexOf(line, ":");
        if (colon === 0) return;
        const field = colon < 0 ? line : slice(line, 0, colon);
        let value = colon < 0 ? "" : slice(line, colon + 1);
        if (value[0] === " ") value = slice(value, 1);
        if (field === "data") this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
        if (field === "event") this.#type = value;
        // Other control characters cannot be sent in a header.
        if (field === "id" && !matches(/[\0-\x08\x0a-\x1f\x7f]/, value)) this.#id = value;
        if (field === "retry" && matches(/^[0-9]+$/, value)) this.#wait = toInteger(value, 10);
    }
    #deliver() {
        const data = this.#data, type = this.#type === "" ? "message" : this.#type;
        this.#lastId = this.#id;
        this.#data = null;
        this.#type = "";
        if (data === null) return;
        const { MessageEvent } = bringPart("messaging").globals;
        dispatchTo(this, new MessageEvent(type, { data, origin: originOf(), lastEventId: this.#lastId }));
    }
}
addHandlers(EventSource.prototype, ["open", "message", "error"]);
for (const name in states) {
    const constant = { __proto__: null, value: states[name], enumerable: true };
    setProperty(EventSource, name, constant);
    setProperty(EventSource.prototype, name, constant);
}

function part(bytes, start, end) {
    return bytesOf(new $Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes) + start, end - start));
}

finishClass(EventSource, "EventSource");

return { __proto__: null, globals: { __proto__: null, EventSource } };
