// The stream of a body. Not supported: pipes, writable streams, and streams constructed by an app.

// A body is a queue of chunks with one reader. It uses no promise chain that the app could change.
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

// Reads all bytes and resolves the promise with the result of `finish`.
function collectBody(body, finish) {
    return new $Promise((resolve, reject) => {
        if (body === null) {
            resolve(finish(new $Uint8Array(0)));
            return;
        }
        if (body.isUsed || body.isLocked) {
            reject(new $TypeError("the body was already read"));
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
        if (key !== creation) throw new $TypeError("only fetch can create streams");
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

define("ReadableStream", ReadableStream);
