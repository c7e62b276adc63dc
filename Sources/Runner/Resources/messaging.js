// MessageChannel, BroadcastChannel and window.postMessage, within one run.
// Messages are delivered by timers, so a message keeps the run alive, and an open port does not. Ports can
// be transferred in the list only: a port within a message is not cloned.

class MessageEvent extends Event {
    #data; #origin; #lastEventId; #source; #ports;
    constructor(type, options = {}) {
        if (arguments.length === 0) throw new $TypeError("an event needs a type");
        super(type, options);
        this.#data = options?.data === undefined ? null : options.data;
        this.#origin = text(options?.origin ?? "");
        this.#lastEventId = text(options?.lastEventId ?? "");
        this.#source = options?.source ?? null;
        this.#ports = freeze(listOf(options?.ports ?? []));
    }
    get data() { return this.#data; }
    get origin() { return this.#origin; }
    get lastEventId() { return this.#lastEventId; }
    get source() { return this.#source; }
    get ports() { return this.#ports; }
    initMessageEvent(
        type, bubbles = false, cancelable = false, data = null, origin = "", lastEventId = "", source = null,
        ports = [],
    ) {
        this.initEvent(type, bubbles, cancelable);
        this.#data = data;
        this.#origin = text(origin);
        this.#lastEventId = text(lastEventId);
        this.#source = source;
        this.#ports = freeze(listOf(ports));
    }
}

function listOf(value) {
    const list = [];
    if (isArray(value)) {
        for (let index = 0; index < value.length; index++) append(list, value[index]);
    } else {
        if (!isObject(value) || typeof value[iterator] !== "function") throw new $TypeError("a list is needed");
        for (const item of value) append(list, item);
    }
    return list;
}

// The second argument of `postMessage`: a list, or an object with `transfer`.
function transferFrom(options) {
    if (options === undefined || options === null) return [];
    if (!isObject(options)) throw new $TypeError("a list of objects to transfer is needed");
    if (isArray(options) || typeof options[iterator] === "function") return listOf(options);
    return options.transfer === undefined ? [] : listOf(options.transfer);
}

// Clones a message and takes the ports of the list from their objects.
function packed(message, transfer, sender) {
    const ends = [], others = [];
    for (let index = 0; index < transfer.length; index++) {
        const end = endOf(transfer[index]);
        if (end === undefined) {
            append(others, transfer[index]);
            continue;
        }
        if (end === null || end === sender) throw new $DOMException("the port cannot be transferred", "DataCloneError");
        for (let other = 0; other < ends.length; other++) {
            if (ends[other] === end) throw new $DOMException("the port is twice in the list", "DataCloneError");
        }
        append(ends, end);
    }
    const data = cloneValue(message, others.length === 0 ? undefined : { transfer: others });
    // Reading the message may have run functions of the app, which may have closed a port.
    for (let index = 0; index < ends.length; index++) {
        if (ends[index].port === null) throw new $DOMException("the port cannot be transferred", "DataCloneError");
    }
    for (let index = 0; index < ends.length; index++) detach(ends[index]);
    return { __proto__: null, data, ends };
}

function unpacked({ data, ends }, origin = "", source = null) {
    const ports = [];
    for (let index = 0; index < ends.length; index++) append(ports, new MessagePort(creation, ends[index]));
    return new MessageEvent("message", { data, ports, origin, source });
}

// `queue` has the messages that wait, from the index `first` on.
const newEnd = () => ({ __proto__: null, port: null, other: null, queue: [], first: 0, isStarted: false });

function takeMessage(end) {
    const message = end.queue[end.first];
    end.queue[end.first++] = undefined;
    if (end.first === end.queue.length) {
        end.queue = [];
        end.first = 0;
    }
    return message;
}

function schedule(end) {
    startTimer(() => {
        if (end.port === null || !end.isStarted || end.queue.length === 0) return;
        dispatchTo(end.port, unpacked(takeMessage(end)));
    }, [], 0, false, false);
}

class MessagePort extends EventTarget {
    #end;
    constructor(key, end) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        super();
        this.#end = end;
        end.port = this;
    }
    postMessage(message, options) {
        if (arguments.length === 0) throw new $TypeError("a message is needed");
        const parcel = packed(message, transferFrom(options), this.#end);
        const other = this.#end?.other ?? null;
        if (other === null) return;
        append(other.queue, parcel);
        if (other.isStarted) schedule(other);
    }
    start() {
        const end = this.#end;
        if (end === null || end.isStarted) return;
        end.isStarted = true;
        for (let index = end.first; index < end.queue.length; index++) schedule(end);
    }
    close() {
        const end = this.#end;
        if (end === null) return;
        this.#end = null;
        end.port = null;
        if (end.other !== null) end.other.other = null;
        end.other = null;
    }
    // The end of a port, null if it has none any more; undefined for other objects.
    static endOf(value) { return isObject(value) && #end in value ? value.#end : undefined; }
    static detach(end) {
        end.port.#end = null;
        end.port = null;
        end.isStarted = false;
    }
}
const { endOf, detach } = MessagePort;
delete MessagePort.endOf;
delete MessagePort.detach;
addHandlers(MessagePort.prototype, ["message", "messageerror"]);
startWithHandler(MessagePort.prototype);

// Setting `onmessage` starts a port.
function startWithHandler(prototype) {
    const { get, set } = getOwnPropertyDescriptor(prototype, "onmessage"), { start } = prototype;
    setProperty(prototype, "onmessage", {
        __proto__: null, enumerable: true, configurable: true, get,
        set(value) {
            apply(set, this, [value]);
            apply(start, this, []);
        },
    });
}

class MessageChannel {
    #first; #second;
    constructor() {
        const first = newEnd(), second = newEnd();
        first.other = second;
        second.other = first;
        this.#first = new MessagePort(creation, first);
        this.#second = new MessagePort(creation, second);
    }
    get port1() { return this.#first; }
    get port2() { return this.#second; }
}

// The open channels of each name.
const channels = new $Map();

class BroadcastChannel extends EventTarget {
    #name; #isClosed = false;
    constructor(name) {
        if (arguments.length === 0) throw new $TypeError("a name is needed");
        super();
        this.#name = text(name);
        const list = mapGet(channels, this.#name) ?? [];
        append(list, this);
        mapSet(channels, this.#name, list);
    }
    get name() { return this.#name; }
    postMessage(message) {
        if (arguments.length === 0) throw new $TypeError("a message is needed");
        if (this.#isClosed) throw new $DOMException("the channel is closed", "InvalidStateError");
        const list = mapGet(channels, this.#name), origin = originOf();
        // Clones also without listeners, to throw if the message cannot be cloned.
        const checked = cloneValue(message);
        for (let index = 0; index < list.length; index++) {
            const channel = list[index];
            if (channel === this) continue;
            const data = cloneValue(checked);
            startTimer(() => {
                if (!channel.#isClosed) dispatchTo(channel, new MessageEvent("message", { data, origin }));
            }, [], 0, false, false);
        }
    }
    close() {
        if (this.#isClosed) return;
        this.#isClosed = true;
        const list = mapGet(channels, this.#name), rest = [];
        for (let index = 0; index < list.length; index++) if (list[index] !== this) append(rest, list[index]);
        if (rest.length > 0) mapSet(channels, this.#name, rest);
        else mapDelete(channels, this.#name);
    }
}
addHandlers(BroadcastChannel.prototype, ["message", "messageerror"]);

function postMessage(message, target = "/", transfer = undefined) {
    if (arguments.length === 0) throw new $TypeError("a message is needed");
    const isObjectGiven = isObject(target), own = originOf();
    const wanted = text(isObjectGiven ? target.targetOrigin ?? "/" : target);
    const isAny = wanted === "/" || wanted === "*";
    if (!isAny && parseURL(wanted, null) === null) throw new $DOMException("the target is no origin", "SyntaxError");
    const origin = isAny ? own : originOf(wanted);
    const parcel = packed(message, transferFrom(isObjectGiven ? target : transfer), null);
    if (origin !== own) return;
    startTimer(() => { dispatchTo(globalObject, unpacked(parcel, own, globalObject)); }, [], 0, false, false);
}

finishClass(MessageEvent, "MessageEvent");
finishClass(MessagePort, "MessagePort");
finishClass(MessageChannel, "MessageChannel");
finishClass(BroadcastChannel, "BroadcastChannel");

return {
    __proto__: null,
    globals: { __proto__: null, MessageEvent, MessagePort, MessageChannel, BroadcastChannel, postMessage },
};
