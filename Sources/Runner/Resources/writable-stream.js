// WritableStream, its writer and its controller.
function writableRecord() {
    return {
        __proto__: null, state: "writable", error: undefined, writer: null, controller: null, object: null,
        writing: null, closing: null, closeRequest: null, aborting: null, requests: new Queue(), backpressure: false,
    };
}

function newWritable(start, write, close, abort, highWaterMark = 1, size = countSize) {
    const stream = writableRecord();
    setUpWritable(stream, start, write, close, abort, highWaterMark, size);
    return stream;
}

const publicWritable = (stream) => stream.object ?? new WritableStream(creation, stream);
const isClosingWritable = (stream) => stream.closeRequest !== null || stream.closing !== null;
const endOfQueue = { __proto__: null };

function setUpWritable(stream, start, write, close, abort, highWaterMark, size) {
    const controller = {
        __proto__: null, stream, queue: new Queue(), isStarted: false, highWaterMark, size, write, close, abort,
        abortController: new AbortController(), object: null,
    };
    stream.controller = controller;
    setBackpressure(stream, room(controller) <= 0);
    const started = start(controller);
    react(toPromise(started), () => {
        controller.isStarted = true;
        advance(controller);
    }, (error) => {
        controller.isStarted = true;
        failWritable(stream, error);
    });
}

const room = (controller) => controller.highWaterMark - controller.queue.size;

function clearWritable(controller) {
    controller.write = controller.close = controller.abort = controller.size = undefined;
}

function abortWritable(stream, reason) {
    if (stream.state === "closed" || stream.state === "errored") return toPromise(undefined);
    abortSignal(signalOf(stream.controller.abortController), reason);
    if (stream.state === "closed" || stream.state === "errored") return toPromise(undefined);
    if (stream.aborting !== null) return stream.aborting.done.promise;
    const wasErroring = stream.state === "erroring";
    const done = deferred();
    stream.aborting = { __proto__: null, done, reason: wasErroring ? undefined : reason, wasErroring };
    if (!wasErroring) startErroring(stream, reason);
    return done.promise;
}

function closeWritable(stream) {
    if (stream.state === "closed" || stream.state === "errored") {
        return rejectedWith(new $TypeError("the stream is closed or errored"));
    }
    const done = deferred(), { writer } = stream;
    stream.closeRequest = done;
    if (writer !== null && stream.backpressure && stream.state === "writable") writer.ready.resolve(undefined);
    stream.controller.queue.push(endOfQueue, 0);
    advance(stream.controller);
    return done.promise;
}

function failWritable(stream, error) {
    if (stream.state === "writable") startErroring(stream, error);
    else finishErroring(stream);
}

function startErroring(stream, reason) {
    stream.state = "erroring";
    stream.error = reason;
    if (stream.writer !== null) rejectReady(stream.writer, reason);
    if (stream.writing === null && stream.closing === null && stream.controller.isStarted) finishErroring(stream);
}

function finishErroring(stream) {
    stream.state = "errored";
    stream.controller.queue.clear();
    const { error, requests, aborting } = stream;
    while (requests.length > 0) requests.shift().reject(error);
    if (aborting === null) return rejectCloseAndClosed(stream);
    stream.aborting = null;
    if (aborting.wasErroring) {
        aborting.done.reject(error);
        return rejectCloseAndClosed(stream);
    }
    const result = stream.controller.abort(aborting.reason);
    clearWritable(stream.controller);
    react(result, () => {
        aborting.done.resolve(undefined);
        rejectCloseAndClosed(stream);
    }, (failure) => {
        aborting.done.reject(failure);
        rejectCloseAndClosed(stream);
    });
}

function rejectCloseAndClosed(stream) {
    if (stream.closeRequest !== null) {
        stream.closeRequest.reject(stream.error);
        stream.closeRequest = null;
    }
    if (stream.writer === null) return;
    stream.writer.closed.reject(stream.error);
    handled(stream.writer.closed.promise);
}

function rejectReady(writer, error) {
    if (writer.ready.isPending) writer.ready.reject(error);
    else writer.ready = rejectedDeferred(error);
    handled(writer.ready.promise);
}

function rejectClosed(writer, error) {
    if (writer.closed.isPending) writer.closed.reject(error);
    else writer.closed = rejectedDeferred(error);
    handled(writer.closed.promise);
}

function setBackpressure(stream, value) {
    const { writer } = stream;
    if (writer !== null && value !== stream.backpressure) {
        if (value) writer.ready = deferred();
        else writer.ready.resolve(undefined);
    }
    stream.backpressure = value;
}

function advance(controller) {
    const { stream } = controller;
    if (!controller.isStarted || stream.writing !== null) return;
    if (stream.state === "erroring") return finishErroring(stream);
    if (controller.queue.length === 0 || stream.state !== "writable") return;
    const head = controller.queue.first.value;
    if (head === endOfQueue) processClose(controller);
    else processWrite(controller, head);
}

function processClose(controller) {
    const { stream } = controller;
    stream.closing = stream.closeRequest;
    stream.closeRequest = null;
    controller.queue.shift();
    const result = controller.close();
    clearWritable(controller);
    react(result, () => {
        stream.closing.resolve(undefined);
        stream.closing = null;
        if (stream.state === "erroring") {
            stream.error = undefined;
            stream.aborting?.done.resolve(undefined);
            stream.aborting = null;
        }
        stream.state = "closed";
        stream.writer?.closed.resolve(undefined);
    }, (error) => {
        stream.closing.reject(error);
        stream.closing = null;
        stream.aborting?.done.reject(error);
        stream.aborting = null;
        failWritable(stream, error);
    });
}

function processWrite(controller, chunk) {
    const { stream } = controller;
    stream.writing = stream.requests.shift();
    react(controller.write(chunk, controller), () => {
        stream.writing.resolve(undefined);
        stream.writing = null;
        const { state } = stream;
        controller.queue.shift();
        if (!isClosingWritable(stream) && state === "writable") setBackpressure(stream, room(controller) <= 0);
        advance(controller);
    }, (error) => {
        if (stream.state === "writable") clearWritable(controller);
        stream.writing.reject(error);
        stream.writing = null;
        failWritable(stream, error);
    });
}

function errorIfNeeded(controller, error) {
    if (controller.stream.state !== "writable") return;
    clearWritable(controller);
    startErroring(controller.stream, error);
}

function chunkSize(controller, chunk) {
    if (controller.size === undefined) return 1;
    try {
        return controller.size(chunk);
    } catch (error) {
        errorIfNeeded(controller, error);
        return 1;
    }
}

function acquireWriter(stream) {
    if (stream.writer !== null) throw new $TypeError("the stream is locked");
    const { state } = stream;
    const writer = { __proto__: null, stream, ready: null, closed: null };
    if (state === "writable") {
        writer.ready = !isClosingWritable(stream) && stream.backpressure ? deferred() : resolvedDeferred();
        writer.closed = deferred();
    } else if (state === "erroring") {
        writer.ready = rejectedDeferred(stream.error);
        writer.closed = deferred();
    } else if (state === "closed") {
        writer.ready = resolvedDeferred();
        writer.closed = resolvedDeferred();
    } else {
        writer.ready = rejectedDeferred(stream.error);
        writer.closed = rejectedDeferred(stream.error);
    }
    stream.writer = writer;
    return writer;
}

function releaseWriter(writer) {
    const { stream } = writer, error = new $TypeError("the writer has released its lock");
    rejectReady(writer, error);
    rejectClosed(writer, error);
    stream.writer = null;
    writer.stream = null;
}

function writeTo(writer, chunk) {
    const { stream } = writer, { controller } = stream;
    const size = chunkSize(controller, chunk);
    if (writer.stream !== stream) return rejectedWith(new $TypeError("the writer has released its lock"));
    if (stream.state === "errored") return rejectedWith(stream.error);
    if (isClosingWritable(stream) || stream.state === "closed") {
        return rejectedWith(new $TypeError("the stream is closed or closing"));
    }
    if (stream.state === "erroring") return rejectedWith(stream.error);
    const done = deferred();
    stream.requests.push(done);
    try {
        pushSized(controller.queue, chunk, size);
    } catch (error) {
        errorIfNeeded(controller, error);
        return done.promise;
    }
    if (!isClosingWritable(stream) && stream.state === "writable") setBackpressure(stream, room(controller) <= 0);
    advance(controller);
    return done.promise;
}

class WritableStream {
    #stream;
    constructor(sink = undefined, strategy = {}) {
        if (sink === creation) {
            this.#stream = strategy;
            strategy.object = this;
            return;
        }
        if (sink !== undefined && !isObject(sink)) throw new $TypeError("the sink is not an object");
        const plan = strategyOf(strategy), given = dictionary(sink, "the sink");
        const abort = callbackOf(given, "abort"), close = callbackOf(given, "close");
        const start = callbackOf(given, "start"), type = given.type, write = callbackOf(given, "write");
        if (type !== undefined) throw new $RangeError("a sink has no type");
        const size = sizeOf(plan), mark = markOf(plan, 1);
        const stream = this.#stream = writableRecord();
        stream.object = this;
        setUpWritable(stream,
            start === undefined ? nothing : (controller) => apply(start, sink, [publicSink(controller)]),
            write === undefined ? () => toPromise(undefined)
                : (chunk, controller) => promiseCall(write, sink, [chunk, publicSink(controller)]),
            close === undefined ? () => toPromise(undefined) : () => promiseCall(close, sink, []),
            abort === undefined ? () => toPromise(undefined) : (reason) => promiseCall(abort, sink, [reason]),
            mark, size);
    }
    get locked() { return this.#stream.writer !== null; }
    abort(reason = undefined) {
        if (!(#stream in this)) return rejectedWith(new $TypeError("this is not a WritableStream"));
        if (this.#stream.writer !== null) return rejectedWith(new $TypeError("the stream is locked"));
        return abortWritable(this.#stream, reason);
    }
    close() {
        if (!(#stream in this)) return rejectedWith(new $TypeError("this is not a WritableStream"));
        if (this.#stream.writer !== null) return rejectedWith(new $TypeError("the stream is locked"));
        if (isClosingWritable(this.#stream)) return rejectedWith(new $TypeError("the stream is closing"));
        return closeWritable(this.#stream);
    }
    getWriter() { return new WritableStreamDefaultWriter(this.#stream.object ?? this); }
    static recordOf(value) { return isObject(value) && #stream in value ? value.#stream : null; }
}
const writableOf = WritableStream.recordOf;
delete WritableStream.recordOf;
finishClass(WritableStream, "WritableStream");

const publicSink = (controller) => controller.object ??= new WritableStreamDefaultController(creation, controller);

class WritableStreamDefaultController {
    #controller;
    constructor(key, controller) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        this.#controller = controller;
    }
    get signal() { return signalOf(this.#controller.abortController); }
    error(error = undefined) {
        if (this.#controller.stream.state === "writable") errorIfNeeded(this.#controller, error);
    }
}
finishClass(WritableStreamDefaultController, "WritableStreamDefaultController");

class WritableStreamDefaultWriter {
    #writer;
    constructor(stream) {
        const record = writableOf(stream);
        if (record === null) throw new $TypeError("the argument is not a WritableStream");
        this.#writer = acquireWriter(record);
    }
    get closed() {
        return #writer in this ? this.#writer.closed.promise : rejectedWith(new $TypeError("this is not a writer"));
    }
    get ready() {
        return #writer in this ? this.#writer.ready.promise : rejectedWith(new $TypeError("this is not a writer"));
    }
    get desiredSize() {
        const { stream } = this.#writer;
        if (stream === null) throw new $TypeError("the writer has released its lock");
        if (stream.state === "errored" || stream.state === "erroring") return null;
        return stream.state === "closed" ? 0 : room(stream.controller);
    }
    abort(reason = undefined) {
        if (!(#writer in this)) return rejectedWith(new $TypeError("this is not a writer"));
        const { stream } = this.#writer;
        return stream === null ? rejectedWith(new $TypeError("the writer has released its lock"))
            : abortWritable(stream, reason);
    }
    close() {
        if (!(#writer in this)) return rejectedWith(new $TypeError("this is not a writer"));
        const { stream } = this.#writer;
        if (stream === null) return rejectedWith(new $TypeError("the writer has released its lock"));
        if (isClosingWritable(stream)) return rejectedWith(new $TypeError("the stream is closing"));
        return closeWritable(stream);
    }
    releaseLock() { if (this.#writer.stream !== null) releaseWriter(this.#writer); }
    write(chunk = undefined) {
        if (!(#writer in this)) return rejectedWith(new $TypeError("this is not a writer"));
        return this.#writer.stream === null ? rejectedWith(new $TypeError("the writer has released its lock"))
            : writeTo(this.#writer, chunk);
    }
}
finishClass(WritableStreamDefaultWriter, "WritableStreamDefaultWriter");
