// ReadableStream and its default controller, after https://streams.spec.whatwg.org. Streams, controllers and
// readers are records; the classes that the app sees hold one in a private field.
function newReadable(start, pull, cancel, highWaterMark = 1, size = countSize) {
    const stream = readableRecord();
    setUpDefault(stream, start, pull, cancel, highWaterMark, size);
    return stream;
}

function readableRecord() {
    return {
        __proto__: null, state: "readable", reader: null, error: undefined, isDisturbed: false,
        controller: null, object: null,
    };
}

const publicReadable = (stream) => stream.object ?? new ReadableStream(creation, stream);

function closeReadable(stream) {
    stream.state = "closed";
    const { reader } = stream;
    if (reader === null) return;
    reader.closed.resolve(undefined);
    if (reader.isBytes) return;
    while (reader.requests.length > 0) reader.requests.shift().close();
}

function errorReadable(stream, error) {
    stream.state = "errored";
    stream.error = error;
    const { reader } = stream;
    if (reader === null) return;
    reader.closed.reject(error);
    handled(reader.closed.promise);
    while (reader.requests.length > 0) reader.requests.shift().error(error);
}

function cancelReadable(stream, reason) {
    stream.isDisturbed = true;
    if (stream.state === "closed") return toPromise(undefined);
    if (stream.state === "errored") return rejectedWith(stream.error);
    closeReadable(stream);
    const { reader } = stream;
    if (reader !== null && reader.isBytes) {
        while (reader.requests.length > 0) reader.requests.shift().close(undefined);
    }
    return react(stream.controller.cancelSteps(reason), nothing);
}

// Requests that wait for a chunk, of a reader of this kind.
const waitingReads = (stream, isBytes) =>
    stream.reader !== null && stream.reader.isBytes === isBytes ? stream.reader.requests.length : 0;

function setUpDefault(stream, start, pull, cancel, highWaterMark, size) {
    const controller = {
        __proto__: null, isBytes: false, stream, queue: new Queue(), isStarted: false, isClosing: false,
        pullsAgain: false, isPulling: false, pull, cancel, highWaterMark, size, object: null,
        cancelSteps(reason) {
            controller.queue.clear();
            const result = controller.cancel(reason);
            clearDefault(controller);
            return result;
        },
        pullSteps(request) {
            if (controller.queue.length === 0) {
                stream.reader.requests.push(request);
                return pullDefault(controller);
            }
            const chunk = controller.queue.shift();
            if (controller.isClosing && controller.queue.length === 0) {
                clearDefault(controller);
                closeReadable(stream);
            } else {
                pullDefault(controller);
            }
            request.chunk(chunk);
        },
        releaseSteps: nothing,
    };
    stream.controller = controller;
    const started = start(controller);
    react(toPromise(started), () => {
        controller.isStarted = true;
        pullDefault(controller);
    }, (error) => errorDefault(controller, error));
    return controller;
}

const publicDefault = (controller) =>
    controller.object ??= new ReadableStreamDefaultController(creation, controller);

function clearDefault(controller) {
    controller.pull = controller.cancel = controller.size = undefined;
}

const canEnqueue = (controller) => !controller.isClosing && controller.stream.state === "readable";

function desiredSize(controller) {
    if (controller.stream.state === "errored") return null;
    return controller.stream.state === "closed" ? 0 : controller.highWaterMark - controller.queue.size;
}

function shouldPull(controller) {
    if (!canEnqueue(controller) || !controller.isStarted) return false;
    return waitingReads(controller.stream, false) > 0 || desiredSize(controller) > 0;
}

function pullDefault(controller) {
    if (!shouldPull(controller)) return;
    if (controller.isPulling) {
        controller.pullsAgain = true;
        return;
    }
    controller.isPulling = true;
    react(controller.pull(controller), () => {
        controller.isPulling = false;
        if (!controller.pullsAgain) return;
        controller.pullsAgain = false;
        pullDefault(controller);
    }, (error) => errorDefault(controller, error));
}

function closeDefault(controller) {
    if (!canEnqueue(controller)) return;
    controller.isClosing = true;
    if (controller.queue.length > 0) return;
    clearDefault(controller);
    closeReadable(controller.stream);
}

function enqueueDefault(controller, chunk) {
    if (!canEnqueue(controller)) return;
    if (waitingReads(controller.stream, false) > 0) {
        controller.stream.reader.requests.shift().chunk(chunk);
    } else {
        try {
            pushSized(controller.queue, chunk, controller.size(chunk));
        } catch (error) {
            errorDefault(controller, error);
            throw error;
        }
    }
    pullDefault(controller);
}

function errorDefault(controller, error) {
    if (controller.stream.state !== "readable") return;
    controller.queue.clear();
    clearDefault(controller);
    errorReadable(controller.stream, error);
}

// The callbacks of the app's source, as functions of the controller's record.
function sourceCallbacks(source, given, publicOf) {
    const { start, pull, cancel } = given;
    return {
        start: start === undefined ? nothing : (controller) => apply(start, source, [publicOf(controller)]),
        pull: pull === undefined ? () => toPromise(undefined)
            : (controller) => promiseCall(pull, source, [publicOf(controller)]),
        cancel: cancel === undefined ? () => toPromise(undefined)
            : (reason) => promiseCall(cancel, source, [reason]),
    };
}

function sourceOf(value) {
    const source = dictionary(value, "the source");
    const auto = source.autoAllocateChunkSize;
    const autoSize = auto === undefined ? undefined : enforcedSize(auto);
    const cancel = callbackOf(source, "cancel"), pull = callbackOf(source, "pull");
    const start = callbackOf(source, "start"), type = source.type;
    if (type !== undefined && text(type) !== "bytes") throw new $TypeError(`${quote(text(type))} is not a type of a source`);
    return { __proto__: null, autoSize, cancel, pull, start, isBytes: type !== undefined };
}

function enforcedSize(value) {
    const number = +value;
    if (!isFiniteNumber(number) || trunc(number) < 0 || trunc(number) > 2 ** 53 - 1) {
        throw new $TypeError("a size is out of range");
    }
    return trunc(number);
}

class ReadableStream {
    #stream;
    constructor(source = undefined, strategy = {}) {
        if (source === creation) {
            this.#stream = strategy;
            strategy.object = this;
            return;
        }
        if (source !== undefined && !isObject(source)) throw new $TypeError("the source is not an object");
        const plan = strategyOf(strategy), given = sourceOf(source);
        const stream = this.#stream = readableRecord();
        stream.object = this;
        if (given.isBytes) {
            if (plan.size !== undefined) throw new $RangeError("a stream of bytes has no size function");
            const mark = markOf(plan, 0);
            if (given.autoSize === 0) throw new $TypeError("autoAllocateChunkSize must not be 0");
            const { start, pull, cancel } = sourceCallbacks(source, given, publicBytes);
            setUpBytes(stream, start, pull, cancel, mark, given.autoSize);
            return;
        }
        const size = sizeOf(plan), mark = markOf(plan, 1);
        const { start, pull, cancel } = sourceCallbacks(source, given, publicDefault);
        setUpDefault(stream, start, pull, cancel, mark, size);
    }
    get locked() { return this.#stream.reader !== null; }
    cancel(reason = undefined) {
        if (!(#stream in this)) return rejectedWith(new $TypeError("this is not a ReadableStream"));
        if (this.#stream.reader !== null) return rejectedWith(new $TypeError("the stream is locked"));
        return cancelReadable(this.#stream, reason);
    }
    getReader(options = {}) {
        const stream = this.#stream, mode = dictionary(options, "the argument").mode;
        if (mode === undefined) return new ReadableStreamDefaultReader(this);
        if (text(mode) !== "byob") throw new $TypeError(`${quote(text(mode))} is not a mode of a reader`);
        return new ReadableStreamBYOBReader(stream.object);
    }
    pipeThrough(transform, options = {}) {
        const stream = this.#stream;
        if (!isObject(transform)) throw new $TypeError("the transform is not an object");
        const readable = transform.readable;
        if (readableOf(readable) === null) throw new $TypeError("readable is not a ReadableStream");
        const writable = writableOf(transform.writable);
        if (writable === null) throw new $TypeError("writable is not a WritableStream");
        const plan = pipeOptions(options);
        if (stream.reader !== null || writable.writer !== null) throw new $TypeError("the stream is locked");
        handled(pipe(stream, writable, plan));
        return readable;
    }
    pipeTo(destination, options = {}) {
        try {
            const stream = this.#stream, writable = writableOf(destination);
            if (writable === null) throw new $TypeError("the destination is not a WritableStream");
            const plan = pipeOptions(options);
            if (stream.reader !== null || writable.writer !== null) throw new $TypeError("the stream is locked");
            return pipe(stream, writable, plan);
        } catch (error) {
            return rejectedWith(error);
        }
    }
    tee() {
        const [one, other] = spread(teeReadable(this.#stream));
        return [publicReadable(one), publicReadable(other)];
    }
    values(options = {}) {
        const stream = this.#stream, given = dictionary(options, "the argument");
        return newIterator(acquireReader(stream), !!given.preventCancel);
    }
    static from(iterable) { return publicReadable(readableFrom(iterable)); }
    static recordOf(value) { return isObject(value) && #stream in value ? value.#stream : null; }
}
const readableOf = ReadableStream.recordOf;
delete ReadableStream.recordOf;
finishClass(ReadableStream, "ReadableStream");
setProperty(ReadableStream, "from", { __proto__: null, enumerable: true });
hide(ReadableStream.prototype, asyncIterator, ReadableStream.prototype.values);

function pipeOptions(value) {
    const given = dictionary(value, "the argument");
    const preventAbort = !!given.preventAbort, preventCancel = !!given.preventCancel;
    const preventClose = !!given.preventClose, { signal } = given;
    if (signal !== undefined && !isSignal(signal)) throw new $TypeError("the signal is not an AbortSignal");
    return { __proto__: null, preventAbort, preventCancel, preventClose, signal };
}

class ReadableStreamDefaultController {
    #controller;
    constructor(key, controller) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        this.#controller = controller;
    }
    get desiredSize() { return desiredSize(this.#controller); }
    close() {
        if (!canEnqueue(this.#controller)) throw new $TypeError("the stream is closed or errored");
        closeDefault(this.#controller);
    }
    enqueue(chunk = undefined) {
        if (!canEnqueue(this.#controller)) throw new $TypeError("the stream is closed or errored");
        enqueueDefault(this.#controller, chunk);
    }
    error(error = undefined) { errorDefault(this.#controller, error); }
}
finishClass(ReadableStreamDefaultController, "ReadableStreamDefaultController");

// A stream of the values of an iterable, asynchronous or not.
function readableFrom(iterable) {
    let method = iterable[asyncIterator], isAsync = true;
    if (method === undefined || method === null) {
        method = iterable[iterator];
        isAsync = false;
    }
    if (typeof method !== "function") throw new $TypeError("the value is not iterable");
    const walk = apply(method, iterable, []);
    if (!isObject(walk)) throw new $TypeError("the iterator is not an object");
    const { next } = walk;
    const step = (method, list) => promiseCall(() => {
        const result = apply(method, walk, list);
        if (isAsync) return result;
        if (!isObject(result)) throw new $TypeError("the result of an iterator is not an object");
        const isDone = !!result.done;
        return react(toPromise(result.value), (value) => ({ __proto__: null, done: isDone, value }));
    });
    const checked = (result) => {
        if (!isObject(result)) throw new $TypeError("the result of an iterator is not an object");
        return result;
    };
    let controller;
    const stream = newReadable(nothing, () => react(step(next, []), (result) => {
        if (checked(result).done) closeDefault(controller);
        else enqueueDefault(controller, result.value);
    }), (reason) => {
        let last;
        try {
            last = walk.return;
        } catch (error) {
            return rejectedWith(error);
        }
        if (last === undefined || last === null) return toPromise(undefined);
        return react(step(last, [reason]), (result) => { checked(result); });
    }, 0);
    controller = stream.controller;
    return stream;
}
