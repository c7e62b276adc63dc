// Pipes chunks from a readable to a writable stream.
function pipe(source, target, options) {
    const { preventAbort, preventCancel, preventClose, signal } = options;
    const reader = acquireReader(source), writer = acquireWriter(target), finished = deferred();
    let isEnding = false, lastWrite = toPromise(undefined), forgetSignal = () => {};
    source.isDisturbed = true;

    const finish = (isError, error) => {
        forgetSignal();
        releaseWriter(writer);
        releaseReader(reader);
        if (isError) finished.reject(error);
        else finished.resolve(undefined);
    };
    const writesDone = () => {
        const write = lastWrite;
        return react(write, () => (write === lastWrite ? undefined : writesDone()));
    };
    // Waits for the writes that have begun, then for `action`.
    const end = (action, isError, error) => {
        if (isEnding) return;
        isEnding = true;
        const conclude = () => {
            if (action === null) finish(isError, error);
            else react(action(), () => finish(isError, error), (failure) => finish(true, failure));
        };
        if (target.state === "writable" && !isClosingWritable(target)) react(writesDone(), conclude, nothing);
        else conclude();
    };

    if (signal !== undefined) {
        const abort = () => {
            const error = reasonOf(signal);
            end(() => {
                const actions = [];
                if (!preventAbort && target.state === "writable") append(actions, abortWritable(target, error));
                if (!preventCancel && source.state === "readable") append(actions, cancelReadable(source, error));
                return whenAll(actions);
            }, true, error);
        };
        if (isAborted(signal)) {
            abort();
            return finished.promise;
        }
        forgetSignal = whenAborted(signal, abort);
    }

    const whenErrored = (stream, closed, action) => {
        if (stream.state === "errored") action(stream.error);
        else react(closed, nothing, action);
    };
    const step = () => {
        if (isEnding) return toPromise(true);
        return react(writer.ready.promise, () => {
            if (isEnding) return true;
            const read = deferred();
            readNext(reader, {
                __proto__: null,
                chunk(chunk) {
                    lastWrite = handled(react(writeTo(writer, chunk), undefined, nothing));
                    read.resolve(false);
                },
                close: () => read.resolve(true),
                error: read.reject,
            });
            return read.promise;
        });
    };
    const loop = (isDone) => (isDone ? undefined : handled(react(step(), loop)));

    whenErrored(source, reader.closed.promise, (error) => {
        end(preventAbort ? null : () => abortWritable(target, error), true, error);
    });
    whenErrored(target, writer.closed.promise, (error) => {
        end(preventCancel ? null : () => cancelReadable(source, error), true, error);
    });
    const closeTarget = () => {
        end(preventClose ? null : () => {
            if (isClosingWritable(target) || target.state === "closed") return toPromise(undefined);
            return target.state === "errored" ? rejectedWith(target.error) : closeWritable(target);
        }, false);
    };
    if (source.state === "closed") closeTarget();
    else react(reader.closed.promise, closeTarget, nothing);
    if (isClosingWritable(target) || target.state === "closed") {
        const error = new $TypeError("the destination is closed");
        end(preventCancel ? null : () => cancelReadable(source, error), true, error);
    }
    loop(false);
    return finished.promise;
}
