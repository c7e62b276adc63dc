// The controller of a ReadableStream of bytes, and requests to read into a buffer of the app.
//
// A pull-into record is a buffer that is being filled: at `offset`, `size` bytes long, of which `filled` are
// filled. The view that the app sees has elements of `elementSize` and the class `kind`.

// Buffer, place and class of a view.
function shapeOf(view) {
    const kind = typedArrayName(view);
    if (kind === undefined) {
        return {
            __proto__: null, kind: "DataView", elementSize: 1, buffer: dataViewBuffer(view),
            offset: safely(() => dataViewOffset(view), 0), size: safely(() => dataViewSize(view), 0), length: 0,
        };
    }
    return {
        __proto__: null, kind, elementSize: elementSizes[kind], buffer: typedArrayBuffer(view),
        offset: typedArrayOffset(view), size: typedArraySize(view), length: viewLength(view),
    };
}

const viewOn = (kind, buffer, offset, length) => new viewClasses[kind](buffer, offset, length);
const copyBytes = (target, at, source, from, size) =>
    copyInto(new $Uint8Array(target, at, size), new $Uint8Array(source, from, size));

function setUpBytes(stream, start, pull, cancel, highWaterMark, autoSize) {
    const controller = {
        __proto__: null, isBytes: true, stream, queue: new Queue(), isStarted: false, isClosing: false,
        pullsAgain: false, isPulling: false, pull, cancel, highWaterMark, autoSize, request: null,
        pending: new Queue(), object: null,
        cancelSteps(reason) {
            invalidateRequest(controller);
            controller.pending.clear();
            controller.queue.clear();
            const result = controller.cancel(reason);
            clearBytes(controller);
            return result;
        },
        pullSteps(request) {
            if (controller.queue.size > 0) return giveFromQueue(controller, request);
            if (controller.autoSize !== undefined) {
                let buffer;
                try {
                    buffer = new $ArrayBuffer(controller.autoSize);
                } catch (error) {
                    request.error(error);
                    return;
                }
                controller.pending.push(pullRecord(buffer, 0, controller.autoSize, 1, 1, "Uint8Array", "default"));
            }
            stream.reader.requests.push(request);
            pullBytes(controller);
        },
        releaseSteps() {
            if (controller.pending.length === 0) return;
            const first = controller.pending.first.value;
            first.reader = "none";
            controller.pending.clear();
            controller.pending.push(first);
        },
    };
    stream.controller = controller;
    const started = start(controller);
    react(toPromise(started), () => {
        controller.isStarted = true;
        pullBytes(controller);
    }, (error) => errorBytes(controller, error));
    return controller;
}

const pullRecord = (buffer, offset, size, least, elementSize, kind, reader) => ({
    __proto__: null, buffer, wholeSize: bufferSize(buffer), offset, size, filled: 0, least, elementSize, kind, reader,
});

const publicBytes = (controller) => controller.object ??= new ReadableByteStreamController(creation, controller);

function clearBytes(controller) { controller.pull = controller.cancel = undefined; }

function shouldPullBytes(controller) {
    const { stream } = controller;
    if (stream.state !== "readable" || controller.isClosing || !controller.isStarted) return false;
    return waitingReads(stream, false) > 0 || waitingReads(stream, true) > 0 || desiredSize(controller) > 0;
}

function pullBytes(controller) {
    if (!shouldPullBytes(controller)) return;
    if (controller.isPulling) {
        controller.pullsAgain = true;
        return;
    }
    controller.isPulling = true;
    react(controller.pull(controller), () => {
        controller.isPulling = false;
        if (!controller.pullsAgain) return;
        controller.pullsAgain = false;
        pullBytes(controller);
    }, (error) => errorBytes(controller, error));
}

function errorBytes(controller, error) {
    if (controller.stream.state !== "readable") return;
    invalidateRequest(controller);
    controller.pending.clear();
    controller.queue.clear();
    clearBytes(controller);
    errorReadable(controller.stream, error);
}

function closeBytes(controller) {
    if (controller.isClosing || controller.stream.state !== "readable") return;
    if (controller.queue.size > 0) {
        controller.isClosing = true;
        return;
    }
    if (controller.pending.length > 0) {
        const first = controller.pending.first.value;
        if (first.filled % first.elementSize !== 0) {
            const error = new $TypeError("the stream was closed within an element of a view");
            errorBytes(controller, error);
            throw error;
        }
    }
    clearBytes(controller);
    closeReadable(controller.stream);
}

function invalidateRequest(controller) {
    if (controller.request === null) return;
    detachRequest(controller.request);
    controller.request = null;
}

function closeIfEmpty(controller) {
    if (controller.queue.size === 0 && controller.isClosing) {
        clearBytes(controller);
        closeReadable(controller.stream);
    } else {
        pullBytes(controller);
    }
}

const pushBytes = (controller, buffer, offset, size) =>
    controller.queue.push({ __proto__: null, buffer, offset, size }, size);

function shiftBytes(controller) {
    return controller.queue.shift();
}

function giveFromQueue(controller, request) {
    const entry = shiftBytes(controller);
    closeIfEmpty(controller);
    request.chunk(new $Uint8Array(entry.buffer, entry.offset, entry.size));
}

function enqueueBytes(controller, view) {
    const { stream } = controller;
    if (controller.isClosing || stream.state !== "readable") return;
    const shape = shapeOf(view), { offset, size } = shape;
    if (isDetached(shape.buffer)) throw new $TypeError("the buffer is detached");
    const buffer = transferBuffer(shape.buffer);
    if (controller.pending.length > 0) {
        const first = controller.pending.first.value;
        if (isDetached(first.buffer)) throw new $TypeError("the buffer of the request is detached");
        invalidateRequest(controller);
        first.buffer = transferBuffer(first.buffer);
        if (first.reader === "none") queueDetached(controller, controller.pending.shift());
    }
    if (stream.reader !== null && !stream.reader.isBytes) {
        const { requests } = stream.reader;
        while (requests.length > 0 && controller.queue.size > 0) giveFromQueue(controller, requests.shift());
        if (requests.length === 0) {
            pushBytes(controller, buffer, offset, size);
        } else {
            if (controller.pending.length > 0) controller.pending.shift();
            requests.shift().chunk(new $Uint8Array(buffer, offset, size));
        }
    } else if (waitingReads(stream, true) > 0) {
        pushBytes(controller, buffer, offset, size);
        giveAll(stream, fillPending(controller));
    } else {
        pushBytes(controller, buffer, offset, size);
    }
    pullBytes(controller);
}

// Puts a copy of the bytes that were filled for a released reader back into the queue.
function queueDetached(controller, record) {
    if (record.filled > 0) {
        const copy = new $ArrayBuffer(record.filled);
        copyBytes(copy, 0, record.buffer, record.offset, record.filled);
        pushBytes(controller, copy, 0, record.filled);
    }
}

function fillFromQueue(controller, record) {
    const { queue } = controller;
    const limit = min(queue.size, record.size - record.filled), most = record.filled + limit;
    const aligned = most - most % record.elementSize;
    const isReady = aligned >= record.least;
    let left = isReady ? aligned - record.filled : limit;
    while (left > 0) {
        const head = queue.first.value, size = min(left, head.size);
        copyBytes(record.buffer, record.offset + record.filled, head.buffer, head.offset, size);
        if (head.size === size) {
            shiftBytes(controller);
        } else {
            head.offset += size;
            head.size -= size;
            queue.first.size -= size;
            queue.size -= size;
        }
        record.filled += size;
        left -= size;
    }
    return isReady;
}

// Fills as many requests as the queue suffices for, and returns them.
function fillPending(controller) {
    const done = [];
    while (controller.pending.length > 0 && controller.queue.size > 0) {
        const first = controller.pending.first.value;
        if (!fillFromQueue(controller, first)) break;
        invalidateRequest(controller);
        append(done, controller.pending.shift());
    }
    return done;
}

function giveAll(stream, records) {
    for (let index = 0; index < records.length; index++) give(stream, records[index]);
}

function give(stream, record) {
    const isDone = stream.state === "closed", view = filledView(record);
    const request = stream.reader.requests.shift();
    if (isDone && record.reader === "byob") request.close(view);
    else if (isDone) request.close(undefined);
    else request.chunk(view);
}

const filledView = (record) =>
    viewOn(record.kind, transferBuffer(record.buffer), record.offset, record.filled / record.elementSize);

function pullInto(controller, shape, leastElements, request) {
    const { stream } = controller, { elementSize, kind, offset, size } = shape;
    let buffer;
    try {
        buffer = transferBuffer(shape.buffer);
    } catch (error) {
        request.error(error);
        return;
    }
    const record = pullRecord(buffer, offset, size, leastElements * elementSize, elementSize, kind, "byob");
    if (controller.pending.length > 0) {
        controller.pending.push(record);
        stream.reader.requests.push(request);
        return;
    }
    if (stream.state === "closed") {
        request.close(viewOn(kind, buffer, offset, 0));
        return;
    }
    if (controller.queue.size > 0) {
        if (fillFromQueue(controller, record)) {
            const view = filledView(record);
            closeIfEmpty(controller);
            request.chunk(view);
            return;
        }
        if (controller.isClosing) {
            const error = new $TypeError("the stream was closed within an element of a view");
            errorBytes(controller, error);
            request.error(error);
            return;
        }
    }
    controller.pending.push(record);
    stream.reader.requests.push(request);
    pullBytes(controller);
}

function checkResponse(controller, size) {
    const first = controller.pending.first.value;
    if (controller.stream.state === "closed") {
        if (size !== 0) throw new $TypeError("the stream is closed");
    } else {
        if (size === 0) throw new $TypeError("0 bytes were written");
        if (first.filled + size > first.size) throw new $RangeError("more bytes were written than the view has");
    }
    return first;
}

function respond(controller, size) {
    const first = checkResponse(controller, size);
    first.buffer = transferBuffer(first.buffer);
    finishResponse(controller, size);
}

function respondWithView(controller, view) {
    const shape = shapeOf(view), first = controller.pending.first.value;
    checkResponse(controller, shape.size);
    if (first.offset + first.filled !== shape.offset) throw new $RangeError("the view begins elsewhere");
    if (first.wholeSize !== bufferSize(shape.buffer)) throw new $RangeError("the buffer has another size");
    if (first.filled + shape.size > first.size) throw new $RangeError("the view is larger than the request");
    first.buffer = transferBuffer(shape.buffer);
    finishResponse(controller, shape.size);
}

function finishResponse(controller, size) {
    const { stream, pending } = controller, first = pending.first.value;
    invalidateRequest(controller);
    if (stream.state === "closed") {
        if (first.reader === "none") pending.shift();
        const done = [];
        while (done.length < waitingReads(stream, true)) append(done, pending.shift());
        giveAll(stream, done);
    } else {
        first.filled += size;
        if (first.reader === "none") {
            queueDetached(controller, pending.shift());
            giveAll(stream, fillPending(controller));
        } else if (first.filled >= first.least) {
            pending.shift();
            const rest = first.filled % first.elementSize;
            if (rest > 0) {
                const copy = new $ArrayBuffer(rest);
                copyBytes(copy, 0, first.buffer, first.offset + first.filled - rest, rest);
                pushBytes(controller, copy, 0, rest);
            }
            first.filled -= rest;
            const done = fillPending(controller);
            give(stream, first);
            giveAll(stream, done);
        }
    }
    pullBytes(controller);
}

function currentRequest(controller) {
    if (controller.request === null && controller.pending.length > 0) {
        const { buffer, offset, size, filled } = controller.pending.first.value;
        const view = new $Uint8Array(buffer, offset + filled, size - filled);
        controller.request = new ReadableStreamBYOBRequest(creation, controller, view);
    }
    return controller.request;
}

class ReadableByteStreamController {
    #controller;
    constructor(key, controller) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        this.#controller = controller;
    }
    get byobRequest() { return currentRequest(this.#controller); }
    get desiredSize() { return desiredSize(this.#controller); }
    close() {
        if (!canEnqueue(this.#controller)) throw new $TypeError("the stream is closed or errored");
        closeBytes(this.#controller);
    }
    enqueue(chunk) {
        const controller = this.#controller;
        if (!isView(chunk)) throw new $TypeError("the chunk is not a view");
        const shape = shapeOf(chunk);
        if (shape.size === 0 || bufferSize(shape.buffer) === 0) throw new $TypeError("the chunk has no bytes");
        if (!canEnqueue(controller)) throw new $TypeError("the stream is closed or errored");
        enqueueBytes(controller, chunk);
    }
    error(error = undefined) { errorBytes(this.#controller, error); }
}
finishClass(ReadableByteStreamController, "ReadableByteStreamController");

class ReadableStreamBYOBRequest {
    #controller; #view;
    constructor(key, controller, view) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        this.#controller = controller;
        this.#view = view;
    }
    get view() { return this.#view; }
    respond(size) {
        const controller = this.#controller, count = enforcedSize(size);
        if (controller === null) throw new $TypeError("the request is no longer valid");
        if (isDetached(typedArrayBuffer(this.#view))) throw new $TypeError("the buffer is detached");
        respond(controller, count);
    }
    respondWithNewView(view) {
        const controller = this.#controller;
        if (!isView(view)) throw new $TypeError("the argument is not a view");
        if (controller === null) throw new $TypeError("the request is no longer valid");
        if (isDetached(shapeOf(view).buffer)) throw new $TypeError("the buffer is detached");
        respondWithView(controller, view);
    }
    static detach(request) { request.#controller = request.#view = null; }
}
const detachRequest = ReadableStreamBYOBRequest.detach;
delete ReadableStreamBYOBRequest.detach;
finishClass(ReadableStreamBYOBRequest, "ReadableStreamBYOBRequest");
