// EventSource, after https://html.spec.whatwg.org/multipage/server-sent-events.html.
// The host reads the streams of other servers, which therefore get no credentials.

// The shortest and the longest pause before the next attempt, in milliseconds.
const shortestWait = 500, longestWait = 60_000;

const states = { __proto__: null, CONNECTING: 0, OPEN: 1, CLOSED: 2 };

class EventSource extends EventTarget {
    #url; #state = 0; #request = 0; #timer = 0; #wait = 3000; #lastId = ""; #withCredentials;
    #reader = null; #origin = ""; #failures = 0;
    constructor(url, options = {}) {
        if (arguments.length === 0) throw new $TypeError("an address is needed");
        super();
        const record = parseURL(text(url), baseOf());
        if (record === null) throw new $DOMException("the address is not valid", "SyntaxError");
        this.#url = record;
        this.#withCredentials = !!options?.withCredentials;
        if (record.scheme === "http" || record.scheme === "https") this.#connect();
        else this.#later(() => this.#fail());
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
        this.#reader?.stop();
    }
    #connect() {
        // A header for another server is ASCII.
        const canResume = this.#lastId !== ""
            && (!isElsewhere(this.#url) || matches(/^[\x20-\x7e]*$/, this.#lastId));
        const lines = "accept\ntext/event-stream\ncache-control\nno-store\n"
            + (canResume ? `last-event-id\n${this.#lastId}\n` : "");
        const url = writeURL(this.#url, false);
        this.#reader = new EventReader(this.#lastId, (type, data, id) => this.#deliver(type, data, id),
            (wait) => { this.#wait = wait; });
        try {
            this.#request = startRequest("GET", url, lines, new $Uint8Array(0), {
                __proto__: null, url,
                head: (status, fields, place) => this.#open(status, fields, place === "" ? url : place),
                piece: (bytes) => { if (this.#state === 1) this.#reader.read(bytes); },
                end: () => this.#reconnect(),
                fail: () => this.#reconnect(),
            });
        } catch {
            // Too many requests are active.
            this.#later(() => this.#reconnect());
        }
    }
    #open(status, fields, place) {
        const type = readHeader(headersFromLines(fields), "content-type") ?? "";
        if (status !== 200 || !matches(/^text\/event-stream\s*(?:;|$)/i, type)) {
            this.#drop();
            this.#fail();
            return;
        }
        this.#origin = originOf(place);
        this.#failures = 0;
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
        // A server that cannot be reached, or is not allowed, is tried more and more rarely.
        let wait = max(this.#wait, shortestWait);
        if (this.#state === 0) {
            for (let count = 0; count < this.#failures && wait < longestWait; count++) wait *= 2;
            wait = max(min(wait, longestWait), this.#wait);
            this.#failures++;
        }
        this.#state = 0;
        this.#later(() => this.#connect(), wait);
        dispatchTo(this, new Event("error"));
    }
    #deliver(type, data, id) {
        this.#lastId = id;
        if (data === null) return;
        const { MessageEvent } = bringPart("messaging").globals;
        dispatchTo(this, new MessageEvent(type, { data, origin: this.#origin, lastEventId: id }));
    }
}
addHandlers(EventSource.prototype, ["open", "message", "error"]);
for (const name in states) {
    const constant = { __proto__: null, value: states[name], enumerable: true };
    setProperty(EventSource, name, constant);
    setProperty(EventSource.prototype, name, constant);
}

finishClass(EventSource, "EventSource");

return { __proto__: null, globals: { __proto__: null, EventSource } };
