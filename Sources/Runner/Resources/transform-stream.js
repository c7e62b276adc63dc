// TransformStream, and the transforms between text and bytes.
function setUpTransform(stream, start, transform, flush, cancel, marks) {
    const controller = { __proto__: null, stream, transform, flush, cancel, finishing: null, object: null };
    stream.controller = controller;
    stream.change = deferred();
    stream.backpressure = null;
    const started = deferred();
    stream.writable = newWritable(() => started.promise, (chunk) => {
        if (!stream.backpressure) return runTransform(controller, chunk);
        return react(stream.change.promise, () => {
            if (stream.writable.state === "erroring") throw stream.writable.error;
            return runTransform(controller, chunk);
        });
    }, () => closeTransform(stream), (reason) => abortTransform(stream, reason), marks.writable, marks.writableSize);
    stream.readable = newReadable(() => started.promise, () => {
        setTransformBackpressure(stream, false);
        return stream.change.promise;
    }, (reason) => cancelTransform(stream, reason), marks.readable, marks.readableSize);
    setTransformBackpressure(stream, true);
    started.resolve(start(controller));
    return stream;
}

function setTransformBackpressure(stream, value) {
    stream.change.resolve(undefined);
    stream.change = deferred();
    stream.backpressure = value;
}

function clearTransform(controller) { controller.transform = controller.flush = controller.cancel = undefined; }

function unblockWrite(stream) { if (stream.backpressure) setTransformBackpressure(stream, false); }

function errorTransform(stream, error) {
    errorDefault(stream.readable.controller, error);
    errorWritableOf(stream, error);
}

function errorWritableOf(stream, error) {
    clearTransform(stream.controller);
    errorIfNeeded(stream.writable.controller, error);
    unblockWrite(stream);
}

const runTransform = (controller, chunk) => react(controller.transform(chunk, controller), undefined, (error) => {
    errorTransform(controller.stream, error);
    throw error;
});

function enqueueTransformed(controller, chunk) {
    const { stream } = controller, target = stream.readable.controller;
    if (!canEnqueue(target)) throw new $TypeError("the readable side is closed or errored");
    try {
        enqueueDefault(target, chunk);
    } catch (error) {
        errorWritableOf(stream, error);
        throw stream.readable.error;
    }
    const isFull = !shouldPull(target);
    if (isFull !== stream.backpressure) setTransformBackpressure(stream, true);
}

function abortTransform(stream, reason) {
    const { controller, readable } = stream;
    if (controller.finishing !== null) return controller.finishing.promise;
    const finishing = controller.finishing = deferred();
    const result = controller.cancel(reason);
    clearTransform(controller);
    react(result, () => {
        if (readable.state === "errored") {
            finishing.reject(readable.error);
        } else {
            errorDefault(readable.controller, reason);
            finishing.resolve(undefined);
        }
    }, (error) => {
        errorDefault(readable.controller, error);
        finishing.reject(error);
    });
    return finishing.promise;
}

function closeTransform(stream) {
    const { controller, readable } = stream;
    if (controller.finishing !== null) return controller.finishing.promise;
    const finishing = controller.finishing = deferred();
    const result = controller.flush(controller);
    clearTransform(controller);
    react(result, () => {
        if (readable.state === "errored") {
            finishing.reject(readable.error);
        } else {
            closeDefault(readable.controller);
            finishing.resolve(undefined);
        }
    }, (error) => {
        errorDefault(readable.controller, error);
        finishing.reject(error);
    });
    return finishing.promise;
}

function cancelTransform(stream, reason) {
    const { controller, writable } = stream;
    if (controller.finishing !== null) return controller.finishing.promise;
    const finishing = controller.finishing = deferred();
    const result = controller.cancel(reason);
    clearTransform(controller);
    react(result, () => {
        if (writable.state === "errored") {
            finishing.reject(writable.error);
        } else {
            errorIfNeeded(writable.controller, reason);
            unblockWrite(stream);
            finishing.resolve(undefined);
        }
    }, (error) => {
        errorIfNeeded(writable.controller, error);
        unblockWrite(stream);
        finishing.reject(error);
    });
    return finishing.promise;
}

const publicTransform = (controller) =>
    controller.object ??= new TransformStreamDefaultController(creation, controller);

class TransformStream {
    #stream;
    constructor(transformer = undefined, writableStrategy = {}, readableStrategy = {}) {
        if (transformer !== undefined && !isObject(transformer)) throw new $TypeError("the transformer is not an object");
        const writing = strategyOf(writableStrategy), reading = strategyOf(readableStrategy);
        const given = dictionary(transformer, "the transformer");
        const cancel = callbackOf(given, "cancel"), flush = callbackOf(given, "flush"), readableType = given.readableType;
        const start = callbackOf(given, "start"), transform = callbackOf(given, "transform");
        const writableType = given.writableType;
        if (readableType !== undefined || writableType !== undefined) {
            throw new $RangeError("a side of a transform has no type");
        }
        const marks = { __proto__: null, readable: markOf(reading, 0), readableSize: sizeOf(reading) };
        marks.writable = markOf(writing, 1);
        marks.writableSize = sizeOf(writing);
        const call = (method, otherwise) => (method === undefined ? otherwise : (...list) => {
            const last = list.length - 1;
            if (isObject(list[last]) && list[last] === this.#stream.controller) list[last] = publicTransform(list[last]);
            return promiseCall(method, transformer, list);
        });
        this.#stream = { __proto__: null };
        setUpTransform(this.#stream,
            start === undefined ? nothing : (controller) => apply(start, transformer, [publicTransform(controller)]),
            call(transform, (chunk, controller) => promiseCall(enqueueTransformed, undefined, [controller, chunk])),
            call(flush, () => toPromise(undefined)), call(cancel, () => toPromise(undefined)), marks);
    }
    get readable() { return publicReadable(this.#stream.readable); }
    get writable() { return publicWritable(this.#stream.writable); }
}
finishClass(TransformStream, "TransformStream");

class TransformStreamDefaultController {
    #controller;
    constructor(key, controller) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        this.#controller = controller;
    }
    get desiredSize() { return desiredSize(this.#controller.stream.readable.controller); }
    enqueue(chunk = undefined) { enqueueTransformed(this.#controller, chunk); }
    error(reason = undefined) { errorTransform(this.#controller.stream, reason); }
    terminate() {
        const { stream } = this.#controller;
        closeDefault(stream.readable.controller);
        errorWritableOf(stream, new $TypeError("the transform was terminated"));
    }
}
finishClass(TransformStreamDefaultController, "TransformStreamDefaultController");

// Both sides of a transform of ours.
function ownTransform(transform, flush) {
    const marks = { __proto__: null, readable: 0, readableSize: countSize, writable: 1, writableSize: countSize };
    return setUpTransform({ __proto__: null }, nothing,
        (chunk, controller) => promiseCall(transform, undefined, [chunk, controller]),
        (controller) => promiseCall(flush, undefined, [controller]), () => toPromise(undefined), marks);
}

class TextEncoderStream {
    #stream; #high = "";
    constructor() {
        this.#stream = ownTransform((chunk, controller) => {
            let string = this.#high + text(chunk);
            this.#high = "";
            const last = string.length === 0 ? 0 : charCode(string, string.length - 1);
            if (last >= 0xd800 && last < 0xdc00) {
                this.#high = string[string.length - 1];
                string = slice(string, 0, -1);
            }
            if (string !== "") enqueueTransformed(controller, host.encode(string));
        }, (controller) => {
            if (this.#high !== "") enqueueTransformed(controller, host.encode(this.#high));
        });
    }
    get encoding() { return "utf-8"; }
    get readable() { return publicReadable(this.#stream.readable); }
    get writable() { return publicWritable(this.#stream.writable); }
}
finishClass(TextEncoderStream, "TextEncoderStream");

class TextDecoderStream {
    #stream; #decoder;
    constructor(label = "utf-8", options = {}) {
        const decoder = this.#decoder = new TextDecoder(label, options);
        const enqueue = (controller, string) => { if (string !== "") enqueueTransformed(controller, string); };
        this.#stream = ownTransform((chunk, controller) => {
            if (!isView(chunk) && !has(bufferBrand, chunk)) throw new $TypeError("the chunk is not a buffer");
            enqueue(controller, decodeWith(decoder, chunk, true));
        }, (controller) => enqueue(controller, decodeWith(decoder, new $Uint8Array(0), false)));
    }
    get encoding() { return this.#decoder.encoding; }
    get fatal() { return this.#decoder.fatal; }
    get ignoreBOM() { return this.#decoder.ignoreBOM; }
    get readable() { return publicReadable(this.#stream.readable); }
    get writable() { return publicWritable(this.#stream.writable); }
}
finishClass(TextDecoderStream, "TextDecoderStream");

return {
    __proto__: null,
    globals: {
        __proto__: null, ReadableStream, ReadableStreamDefaultReader, ReadableStreamBYOBReader,
        ReadableStreamDefaultController, ReadableByteStreamController, ReadableStreamBYOBRequest, WritableStream,
        WritableStreamDefaultWriter, WritableStreamDefaultController, TransformStream,
        TransformStreamDefaultController, CountQueuingStrategy, ByteLengthQueuingStrategy, TextEncoderStream,
        TextDecoderStream,
    },
    readableOf, acquireReader, readNext, teeReadable, publicReadable,
    isDisturbed: (stream) => stream.isDisturbed,
    // A stream of bytes, whose next chunk `next` gives to a function, or null at its end.
    fromSource(next, cancel) {
        const stream = newReadableBytes(() => new $Promise((resolve, reject) => {
            next((chunk) => {
                const { controller } = stream;
                if (stream.state === "readable") {
                    if (chunk === null) {
                        closeBytes(controller);
                        if (controller.pending.length > 0) respond(controller, 0);
                    } else if (chunk !== undefined) {
                        enqueueBytes(controller, chunk);
                    }
                }
                resolve(undefined);
            }, reject);
        }), (reason) => {
            cancel(reason);
            return toPromise(undefined);
        });
        return stream;
    },
};
