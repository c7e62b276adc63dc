// Two streams from one: each gets every chunk.
const teeReadable = (stream) => (stream.controller.isBytes ? teeBytes(stream) : teeDefault(stream));

// The state that both kinds need: which branches are cancelled. When both are, the source is cancelled.
function teeState(stream) {
    const done = deferred();
    const tee = { __proto__: null, isReading: false, again: [false, false], cancelled: [false, false], reasons: [], done };
    tee.cancel = (index) => (reason) => {
        tee.cancelled[index] = true;
        tee.reasons[index] = reason;
        if (tee.cancelled[1 - index]) done.resolve(cancelReadable(stream, [tee.reasons[0], tee.reasons[1]]));
        return done.promise;
    };
    tee.finish = () => { if (!tee.cancelled[0] || !tee.cancelled[1]) done.resolve(undefined); };
    return tee;
}

function teeDefault(stream) {
    const reader = acquireReader(stream), tee = teeState(stream), branches = [];
    const each = (action) => {
        for (let index = 0; index < 2; index++) if (!tee.cancelled[index]) action(branches[index].controller);
    };
    const pull = () => {
        if (tee.isReading) {
            tee.again[0] = true;
            return toPromise(undefined);
        }
        tee.isReading = true;
        readNext(reader, {
            __proto__: null,
            chunk(chunk) {
                runSoon(() => {
                    tee.again[0] = false;
                    each((controller) => enqueueDefault(controller, chunk));
                    tee.isReading = false;
                    if (tee.again[0]) pull();
                });
            },
            close() {
                tee.isReading = false;
                each(closeDefault);
                tee.finish();
            },
            error() { tee.isReading = false; },
        });
        return toPromise(undefined);
    };
    append(branches, newReadable(nothing, pull, tee.cancel(0)));
    append(branches, newReadable(nothing, pull, tee.cancel(1)));
    react(reader.closed.promise, nothing, (error) => {
        errorDefault(branches[0].controller, error);
        errorDefault(branches[1].controller, error);
        tee.finish();
    });
    return branches;
}

function newReadableBytes(pull, cancel, highWaterMark = 0) {
    const stream = readableRecord();
    setUpBytes(stream, nothing, pull, cancel, highWaterMark, undefined);
    return stream;
}

function copyOf(chunk) {
    const { buffer, offset, size } = shapeOf(chunk), copy = new $Uint8Array(size);
    copyInto(copy, new $Uint8Array(buffer, offset, size));
    return copy;
}

function teeBytes(stream) {
    const tee = teeState(stream), branches = [];
    let reader = acquireReader(stream);
    const watch = (watched) => {
        react(watched.closed.promise, nothing, (error) => {
            if (watched !== reader) return;
            errorBytes(branches[0].controller, error);
            errorBytes(branches[1].controller, error);
            tee.finish();
        });
    };
    const change = (isBytes) => {
        if (reader.isBytes === isBytes) return;
        releaseReader(reader);
        reader = acquireReader(stream, isBytes);
        watch(reader);
    };
    // A copy for the second branch; without memory for it the tee fails.
    const copied = (chunk) => {
        try {
            return copyOf(chunk);
        } catch (error) {
            errorBytes(branches[0].controller, error);
            errorBytes(branches[1].controller, error);
            done(cancelReadable(stream, error));
            return null;
        }
    };
    const done = (value) => tee.done.resolve(value);
    const resume = () => {
        tee.isReading = false;
        if (tee.again[0]) pull(0)();
        else if (tee.again[1]) pull(1)();
    };
    const readChunk = () => {
        change(false);
        readNext(reader, {
            __proto__: null,
            chunk(chunk) {
                runSoon(() => {
                    tee.again = [false, false];
                    const second = tee.cancelled[0] || tee.cancelled[1] ? chunk : copied(chunk);
                    if (second === null) return;
                    if (!tee.cancelled[0]) enqueueBytes(branches[0].controller, chunk);
                    if (!tee.cancelled[1]) enqueueBytes(branches[1].controller, second);
                    resume();
                });
            },
            close() {
                tee.isReading = false;
                for (let index = 0; index < 2; index++) {
                    const { controller } = branches[index];
                    if (!tee.cancelled[index]) closeBytes(controller);
                    if (controller.pending.length > 0) respond(controller, 0);
                }
                tee.finish();
            },
            error() { tee.isReading = false; },
        });
    };
    const readView = (view, index) => {
        change(true);
        const asked = branches[index].controller, other = branches[1 - index].controller;
        readInto(reader, shapeOf(view), 1, {
            __proto__: null,
            chunk(chunk) {
                runSoon(() => {
                    tee.again = [false, false];
                    if (!tee.cancelled[1 - index]) {
                        const second = copied(chunk);
                        if (second === null) return;
                        if (!tee.cancelled[index]) respondWithView(asked, chunk);
                        enqueueBytes(other, second);
                    } else if (!tee.cancelled[index]) {
                        respondWithView(asked, chunk);
                    }
                    resume();
                });
            },
            close(chunk) {
                tee.isReading = false;
                if (!tee.cancelled[index]) closeBytes(asked);
                if (!tee.cancelled[1 - index]) closeBytes(other);
                if (chunk !== undefined) {
                    if (!tee.cancelled[index]) respondWithView(asked, chunk);
                    if (!tee.cancelled[1 - index] && other.pending.length > 0) respond(other, 0);
                }
                tee.finish();
            },
            error() { tee.isReading = false; },
        });
    };
    const pull = (index) => () => {
        if (tee.isReading) {
            tee.again[index] = true;
            return toPromise(undefined);
        }
        tee.isReading = true;
        const request = currentRequest(branches[index].controller);
        if (request === null) readChunk();
        else readView(request.view, index);
        return toPromise(undefined);
    };
    append(branches, newReadableBytes(pull(0), tee.cancel(0)));
    append(branches, newReadableBytes(pull(1), tee.cancel(1)));
    watch(reader);
    return branches;
}
