// Promises and queues of the streams. Promises of streams are awaited rather than chained, because the app may
// have replaced `then`.
const toPromise = (value) => apply(promiseResolve, $Promise, [value]);
const rejectedWith = (error) => new $Promise((resolve, reject) => { reject(error); });
const nothing = () => {};

function deferred() {
    const result = { __proto__: null, isPending: true };
    result.promise = new $Promise((resolve, reject) => {
        result.resolve = (value) => {
            result.isPending = false;
            if (value instanceof $Promise) react(value, resolve, reject);
            else resolve(value);
        };
        result.reject = (error) => {
            result.isPending = false;
            reject(error);
        };
    });
    return result;
}

// `promise.then(fulfilled, rejected)`, without a lookup: a promise that was returned would be asked for its `then`.
async function react(promise, fulfilled, rejected) {
    let result;
    try {
        result = await promise;
    } catch (error) {
        if (rejected === undefined) throw error;
        result = rejected(error);
        return result instanceof $Promise ? await result : result;
    }
    if (fulfilled !== undefined) result = fulfilled(result);
    return result instanceof $Promise ? await result : result;
}

// Marks a promise as handled: its rejection is not reported.
function handled(promise) {
    react(promise, nothing, nothing);
    return promise;
}

function rejectedDeferred(error) {
    const result = deferred();
    result.reject(error);
    handled(result.promise);
    return result;
}

function resolvedDeferred() {
    const result = deferred();
    result.resolve(undefined);
    return result;
}

// The result of a function of the app, as a promise.
function promiseCall(method, self, list) {
    try {
        return toPromise(apply(method, self, list));
    } catch (error) {
        return rejectedWith(error);
    }
}

// Fulfilled when all promises are, rejected when one is.
function whenAll(promises) {
    const result = deferred();
    let left = promises.length;
    if (left === 0) result.resolve(undefined);
    for (let index = 0; index < promises.length; index++) {
        react(promises[index], () => { if (--left === 0) result.resolve(undefined); }, result.reject);
    }
    return result.promise;
}

class Queue {
    first = null; last = null; length = 0; size = 0;
    push(value, size = 0) {
        const node = { __proto__: null, value, size, next: null };
        if (this.last === null) this.first = node;
        else this.last.next = node;
        this.last = node;
        this.length++;
        this.size += size;
    }
    shift() {
        const node = this.first;
        this.first = node.next;
        if (this.first === null) this.last = null;
        this.length--;
        this.size = max(0, this.size - node.size);
        return node.value;
    }
    clear() {
        this.first = this.last = null;
        this.length = this.size = 0;
    }
}

// Adds a chunk with the size that the app's strategy returned.
function pushSized(queue, value, size) {
    if (typeof size !== "number" || !(size >= 0) || size === Infinity) {
        throw new $RangeError("the size of a chunk must be a finite number that is not negative");
    }
    queue.push(value, size);
}

function dictionary(value, what) {
    if (value === undefined || value === null) return { __proto__: null };
    if (!isObject(value)) throw new $TypeError(`${what} is not an object`);
    return value;
}

function callbackOf(object, name) {
    const value = object[name];
    if (value === undefined) return undefined;
    if (typeof value !== "function") throw new $TypeError(`${name} is not a function`);
    return value;
}

// High-water mark and size of a strategy; the mark has a default.
function strategyOf(value) {
    const given = dictionary(value, "the strategy");
    const mark = given.highWaterMark;
    const highWaterMark = mark === undefined ? undefined : +mark;
    return { __proto__: null, highWaterMark, size: callbackOf(given, "size") };
}

function markOf(strategy, otherwise) {
    const mark = strategy.highWaterMark ?? otherwise;
    if (mark !== mark || mark < 0) throw new $RangeError("the high-water mark must be a number that is not negative");
    return mark;
}

const sizeOf = ({ size }) => (size === undefined ? () => 1 : (chunk) => +apply(size, undefined, [chunk]));

const byteSize = { size(chunk) { return chunk.byteLength; } }.size;
const countSize = { size() { return 1; } }.size;

class CountQueuingStrategy {
    #mark;
    constructor(init) { this.#mark = requiredMark(init); }
    get highWaterMark() { return this.#mark; }
    get size() { return this.#mark === null ? undefined : countSize; }
}

class ByteLengthQueuingStrategy {
    #mark;
    constructor(init) { this.#mark = requiredMark(init); }
    get highWaterMark() { return this.#mark; }
    get size() { return this.#mark === null ? undefined : byteSize; }
}

function requiredMark(init) {
    const mark = dictionary(init, "the strategy").highWaterMark;
    if (mark === undefined) throw new $TypeError("highWaterMark is required");
    return +mark;
}
