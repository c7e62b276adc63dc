// The readers of a ReadableStream, and its iterator.
function acquireReader(stream, isBytes = false) {
    if (stream.reader !== null) throw new $TypeError("the stream is locked");
    const reader = {
        __proto__: null, stream, isBytes, requests: new Queue(),
        closed: stream.state === "readable" ? deferred()
            : stream.state === "closed" ? resolvedDeferred() : rejectedDeferred(stream.error),
    };
    stream.reader = reader;
    return reader;
}

// Calls one of `chunk`, `close` and `error` of the request.
function readNext(reader, request) {
    const { stream } = reader;
    stream.isDisturbed = true;
    if (stream.state === "closed") request.close();
    else if (stream.state === "errored") request.error(stream.error);
    else stream.controller.pullSteps(request);
}

function readInto(reader, view, least, request) {
    const { stream } = reader;
    stream.isDisturbed = true;
    if (stream.state === "errored") request.error(stream.error);
    else pullInto(stream.controller, view, least, request);
}

function releaseReader(reader) {
    const { stream } = reader;
    const error = new $TypeError("the reader has released its lock");
    if (reader.closed.isPending) reader.closed.reject(error);
    else reader.closed = rejectedDeferred(error);
    handled(reader.closed.promise);
    stream.controller.releaseSteps();
    stream.reader = null;
    reader.stream = null;
    const { requests } = reader;
    reader.requests = new Queue();
    while (requests.length > 0) requests.shift().error(error);
}

const released = () => new $TypeError("the reader has released its lock");
const result = (value, done) => ({ value, done });

class ReadableStreamDefaultReader {
    #reader;
    constructor(stream) {
        const record = readableOf(stream);
        if (record === null) throw new $TypeError("the argument is not a ReadableStream");
        this.#reader = acquireReader(record);
    }
    get closed() {
        return #reader in this ? this.#reader.closed.promise : rejectedWith(new $TypeError("this is not a reader"));
    }
    cancel(reason = undefined) {
        if (!(#reader in this)) return rejectedWith(new $TypeError("this is not a reader"));
        if (this.#reader.stream === null) return rejectedWith(released());
        return cancelReadable(this.#reader.stream, reason);
    }
    read() {
        if (!(#reader in this)) return rejectedWith(new $TypeError("this is not a reader"));
        if (this.#reader.stream === null) return rejectedWith(released());
        const { promise, resolve, reject } = deferred();
        readNext(this.#reader, {
            __proto__: null, chunk: (chunk) => resolve(result(chunk, false)),
            close: () => resolve(result(undefined, true)), error: reject,
        });
        return promise;
    }
    releaseLock() { if (this.#reader.stream !== null) releaseReader(this.#reader); }
}
finishClass(ReadableStreamDefaultReader, "ReadableStreamDefaultReader");

class ReadableStreamBYOBReader {
    #reader;
    constructor(stream) {
        const record = readableOf(stream);
        if (record === null) throw new $TypeError("the argument is not a ReadableStream");
        if (record.reader !== null) throw new $TypeError("the stream is locked");
        if (!record.controller.isBytes) throw new $TypeError("the stream is not a stream of bytes");
        this.#reader = acquireReader(record, true);
    }
    get closed() {
        return #reader in this ? this.#reader.closed.promise : rejectedWith(new $TypeError("this is not a reader"));
    }
    cancel(reason = undefined) {
        if (!(#reader in this)) return rejectedWith(new $TypeError("this is not a reader"));
        if (this.#reader.stream === null) return rejectedWith(released());
        return cancelReadable(this.#reader.stream, reason);
    }
    read(view, options = {}) {
        const { promise, resolve, reject } = deferred();
        try {
            const reader = this.#reader;
            if (!isView(view)) throw new $TypeError("the argument is not a view");
            const shape = shapeOf(view), least = enforcedSize(dictionary(options, "the argument").min ?? 1);
            if (shape.size === 0) throw new $TypeError("the view has no bytes");
            if (bufferSize(shape.buffer) === 0) throw new $TypeError("the buffer has no bytes");
            if (isDetached(shape.buffer)) throw new $TypeError("the buffer is detached");
            if (least === 0) throw new $TypeError("min must not be 0");
            if (least > shape.size / shape.elementSize) throw new $RangeError("min is larger than the view");
            if (reader.stream === null) throw released();
            readInto(reader, shape, least, {
                __proto__: null, chunk: (chunk) => resolve(result(chunk, false)),
                close: (chunk) => resolve(result(chunk, true)), error: reject,
            });
        } catch (error) {
            reject(error);
        }
        return promise;
    }
    releaseLock() { if (this.#reader.stream !== null) releaseReader(this.#reader); }
}
finishClass(ReadableStreamBYOBReader, "ReadableStreamBYOBReader");

class StreamIterator {
    #reader; #preventCancel; #last = null; #isDone = false;
    constructor(reader, preventCancel) {
        this.#reader = reader;
        this.#preventCancel = preventCancel;
    }
    next() {
        if (!isObject(this) || !(#reader in this)) return rejectedWith(new $TypeError("this is not an iterator of a stream"));
        return this.#after(() => this.#next());
    }
    return(value) {
        if (!isObject(this) || !(#reader in this)) return rejectedWith(new $TypeError("this is not an iterator of a stream"));
        return this.#after(() => this.#return(value));
    }
    // Steps run one after the other, however they are called.
    #after(step) {
        return this.#last = this.#last === null ? step() : react(this.#last, step, step);
    }
    #next() {
        if (this.#isDone) return toPromise(result(undefined, true));
        const { promise, resolve, reject } = deferred();
        readNext(this.#reader, {
            __proto__: null,
            chunk: (chunk) => resolve(result(chunk, false)),
            close: () => {
                this.#finish();
                resolve(result(undefined, true));
            },
            error: (error) => {
                this.#finish();
                reject(error);
            },
        });
        return promise;
    }
    #return(value) {
        if (this.#isDone) return toPromise(result(value, true));
        this.#isDone = true;
        const end = this.#preventCancel ? toPromise(undefined) : cancelReadable(this.#reader.stream, value);
        releaseReader(this.#reader);
        return react(end, () => result(value, true));
    }
    #finish() {
        this.#isDone = true;
        releaseReader(this.#reader);
    }
}
setPrototypeOf(StreamIterator.prototype, asyncIteratorPrototype);
setProperty(StreamIterator.prototype, "next", { __proto__: null, enumerable: true });
setProperty(StreamIterator.prototype, "return", { __proto__: null, enumerable: true });
setProperty(StreamIterator.prototype, toStringTag, {
    __proto__: null, value: "ReadableStream AsyncIterator", configurable: true,
});
delete StreamIterator.prototype.constructor;
const newIterator = (reader, preventCancel) => new StreamIterator(reader, preventCancel);
