// Bodies of requests and responses: a queue of chunks with one reader, and no promise chain that the app could
// change. When the app asks for the stream of a body, the stream reads the queue.
const emptyBody = (cancel) => ({
    __proto__: null, pieces: [], first: 0, isEnded: false, error: undefined, hasFailed: false,
    waiting: [], collector: null, isUsed: false, isLocked: false, stream: null, cancel,
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

const isBodyUsed = (body) => body !== null && (body.isUsed || (body.stream !== null && body.stream.isDisturbed));
const isBodyLocked = (body) => body.isLocked || (body.stream !== null && body.stream.reader !== null);

// The stream of a body, which reads its queue.
function streamOfBody(body) {
    if (body.stream !== null) return body.stream;
    const stream = bringPart("streams").fromSource((give, fail) => {
        append(body.waiting, {
            __proto__: null, reject: fail,
            resolve: ({ value, done }) => {
                if (done) give(null);
                else if (viewLength(value) > 0) give(value);
                else give(undefined);
            },
        });
        settleBody(body);
    }, (reason) => cancelBody(body, reason));
    stream.isDisturbed = body.isUsed;
    if (body.isLocked && !body.isEnded) bringPart("streams").acquireReader(stream);
    body.stream = stream;
    return stream;
}

// The body of a stream that the app gave.
function bodyOfStream(stream) {
    const body = emptyBody(null);
    body.stream = stream;
    return body;
}

function collectStream(stream, resolve, reject) {
    const { acquireReader, readNext } = bringPart("streams"), pieces = [], reader = acquireReader(stream);
    const request = {
        __proto__: null, error: reject,
        close: () => {
            try {
                resolve(joinBytes(pieces));
            } catch (error) {
                reject(error);
            }
        },
        chunk: (chunk) => {
            if (typeof chunk !== "object" || chunk === null || typedArrayName(chunk) !== "Uint8Array") {
                reject(new $TypeError("a chunk of the body is not a Uint8Array"));
                return;
            }
            append(pieces, bytesOf(chunk));
            runSoon(() => readNext(reader, request));
        },
    };
    readNext(reader, request);
}

// A second body with the same content.
function cloneBody(body) {
    if (isBodyUsed(body) || isBodyLocked(body)) throw new $TypeError("the body was already read");
    if (body.stream === null && body.isEnded) {
        const copy = emptyBody(null);
        copy.isEnded = true;
        for (let index = body.first; index < body.pieces.length; index++) {
            append(copy.pieces, bytesOf(body.pieces[index]));
        }
        return copy;
    }
    const { teeReadable } = bringPart("streams"), branches = teeReadable(streamOfBody(body));
    body.stream = branches[0];
    return bodyOfStream(branches[1]);
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
        if (isBodyUsed(body) || isBodyLocked(body)) {
            reject(new $TypeError("the body was already read"));
            return;
        }
        if (body.stream !== null) {
            collectStream(body.stream, (bytes) => {
                try {
                    resolve(finish(bytes));
                } catch (error) {
                    reject(error);
                }
            }, reject);
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
