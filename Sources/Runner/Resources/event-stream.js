// Reads event streams, after https://html.spec.whatwg.org/multipage/server-sent-events.html.

// `deliver` gets the type, the data and the id of each event, and `wait` the milliseconds of `retry`.
class EventReader {
    // The line that has begun, and the fields of the event that has begun.
    #line = []; #skipsFeed = false; #isFirst = true; #data = null; #type = ""; #id;
    #deliver; #wait; #isStopped = false;
    constructor(id, deliver, wait) {
        this.#id = id;
        this.#deliver = deliver;
        this.#wait = wait;
    }
    stop() { this.#isStopped = true; }
    read(bytes) {
        const size = viewLength(bytes);
        let start = 0;
        for (let index = 0; index < size && !this.#isStopped; index++) {
            const byte = bytes[index];
            if (byte === 10 && this.#skipsFeed) {
                this.#skipsFeed = false;
                start = index + 1;
                continue;
            }
            this.#skipsFeed = byte === 13;
            if (byte !== 10 && byte !== 13) continue;
            append(this.#line, partOf(bytes, start, index));
            start = index + 1;
            const whole = joinBytes(this.#line);
            this.#line = [];
            let line = decodeText(whole, false);
            if (this.#isFirst && charCode(line, 0) === 0xfeff) line = slice(line, 1);
            this.#isFirst = false;
            this.#take(line);
        }
        if (start < size) append(this.#line, partOf(bytes, start, size));
    }
    #take(line) {
        if (line === "") return this.#finish();
        const colon = indexOf(line, ":");
        if (colon === 0) return;
        const field = colon < 0 ? line : slice(line, 0, colon);
        let value = colon < 0 ? "" : slice(line, colon + 1);
        if (value[0] === " ") value = slice(value, 1);
        if (field === "data") this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
        if (field === "event") this.#type = value;
        // Other control characters cannot be sent in a header.
        if (field === "id" && !matches(/[\0-\x08\x0a-\x1f\x7f]/, value)) this.#id = value;
        if (field === "retry" && matches(/^[0-9]+$/, value)) this.#wait(toInteger(value, 10));
    }
    #finish() {
        const data = this.#data, type = this.#type === "" ? "message" : this.#type;
        this.#data = null;
        this.#type = "";
        this.#deliver(type, data, this.#id);
    }
}

function partOf(bytes, start, end) {
    return bytesOf(new $Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes) + start, end - start));
}
