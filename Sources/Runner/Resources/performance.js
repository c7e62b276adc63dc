// Marks and measures of `performance`, after https://w3c.github.io/user-timing/.

// Not `creation`: an app could put a constructor of its own between a class and its base, and receive the key.
const entryKey = { __proto__: null };

// The times of the loading of a page, whose names marks cannot have; only the first is known.
const loadTimes = split("navigationStart unloadEventStart unloadEventEnd redirectStart redirectEnd fetchStart "
    + "domainLookupStart domainLookupEnd connectStart connectEnd secureConnectionStart requestStart responseStart "
    + "responseEnd domLoading domInteractive domContentLoadedEventStart domContentLoadedEventEnd domComplete "
    + "loadEventStart loadEventEnd", " ");

class PerformanceEntry {
    #parts;
    constructor(key, parts) {
        if (key !== entryKey) throw new $TypeError("Illegal constructor");
        this.#parts = parts;
    }
    get name() { return this.#parts.name; }
    get entryType() { return this.#parts.entryType; }
    get startTime() { return this.#parts.startTime; }
    get duration() { return this.#parts.duration; }
    toJSON() {
        const { name, entryType, startTime, duration, detail } = this.#parts;
        return { name, entryType, startTime, duration, detail };
    }
    static partsOf(entry) { return entry.#parts; }
}
const { partsOf } = PerformanceEntry;
delete PerformanceEntry.partsOf;

class PerformanceMark extends PerformanceEntry {
    constructor(name, options = {}) {
        if (arguments.length === 0) throw new $TypeError("a mark needs a name");
        if (options !== null && !isObject(options)) throw new $TypeError("the options are not an object");
        for (let index = 0; index < loadTimes.length; index++) {
            if (loadTimes[index] === text(name)) {
                throw new $DOMException(`${text(name)} is the name of a time of the page.`, "SyntaxError");
            }
        }
        const given = options?.startTime, startTime = given === undefined ? elapsed() : time(given);
        if (startTime < 0) throw new $TypeError("the time of a mark is not negative");
        super(entryKey, {
            __proto__: null, name: text(name), entryType: "mark", startTime, duration: 0, detail: detailOf(options),
        });
    }
    get detail() { return partsOf(this).detail; }
}

class PerformanceMeasure extends PerformanceEntry {
    get detail() { return partsOf(this).detail; }
}

const detailOf = (options) => {
    const detail = options?.detail;
    return detail === undefined || detail === null ? null : cloneValue(detail);
};

function time(value) {
    const number = +value;
    if (!isFiniteNumber(number)) throw new $TypeError("a time is a number");
    return number;
}

// All entries, in the order in which they were made.
let entries = [];

function record(entry) {
    append(entries, entry);
    notify(entry);
    return entry;
}

// A time, or the time of the last mark of this name.
function timeOf(mark) {
    if (typeof mark === "number") {
        if (time(mark) < 0) throw new $TypeError("a time is not negative");
        return mark;
    }
    const name = text(mark);
    if (name === loadTimes[0]) return 0;
    for (let index = 1; index < loadTimes.length; index++) {
        if (loadTimes[index] === name) throw new $DOMException(`A headless run has no ${name}.`, "InvalidAccessError");
    }
    for (let index = entries.length - 1; index >= 0; index--) {
        const parts = partsOf(entries[index]);
        if (parts.entryType === "mark" && parts.name === name) return parts.startTime;
    }
    throw new $DOMException(`There is no mark named ${name}.`, "SyntaxError");
}

function mark(name, options) {
    return record(arguments.length === 0 ? new PerformanceMark() : new PerformanceMark(name, options));
}

function measure(name, start = undefined, endMark = undefined) {
    if (arguments.length === 0) throw new $TypeError("a measure needs a name");
    const options = isObject(start) ? start : null;
    const given = options?.start, length = options?.duration, last = endMark ?? options?.end;
    const hasMember = given !== undefined || length !== undefined || options?.end !== undefined
        || options?.detail !== undefined;
    if (hasMember && options !== null) {
        if (endMark !== undefined) throw new $TypeError("the end is in the options");
        if (given === undefined && last === undefined) throw new $TypeError("a start or an end is needed");
        if (given !== undefined && last !== undefined && length !== undefined) {
            throw new $TypeError("start, end and duration are too many");
        }
    }
    const first = options === null ? start : given;
    let end, begin;
    if (last !== undefined) end = timeOf(last);
    else if (first !== undefined && first !== null && length !== undefined) end = timeOf(first) + time(length);
    else end = elapsed();
    if (first !== undefined && first !== null) begin = timeOf(first);
    else begin = length !== undefined && last !== undefined ? end - time(length) : 0;
    return record(new PerformanceMeasure(entryKey, {
        __proto__: null, name: text(name), entryType: "measure", startTime: begin, duration: end - begin,
        detail: detailOf(options),
    }));
}

// The entries in the order of their times.
function select(list, name, type) {
    const found = [];
    for (let index = 0; index < list.length; index++) {
        const parts = partsOf(list[index]);
        if ((name === undefined || parts.name === name) && (type === undefined || parts.entryType === type)) {
            append(found, list[index]);
        }
    }
    return arraySort(found, (one, other) => partsOf(one).startTime - partsOf(other).startTime);
}

const optional = (value) => (value === undefined ? undefined : text(value));

function drop(type, name) {
    const rest = [];
    for (let index = 0; index < entries.length; index++) {
        const parts = partsOf(entries[index]);
        if (parts.entryType !== type || (name !== undefined && parts.name !== name)) append(rest, entries[index]);
    }
    entries = rest;
}

const supportedTypes = freeze(["mark", "measure"]);
const observers = [];

class PerformanceObserverEntryList {
    #list;
    constructor(key, list) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        this.#list = list;
    }
    getEntries() { return select(this.#list); }
    getEntriesByType(type) { return select(this.#list, undefined, text(type)); }
    getEntriesByName(name, type) { return select(this.#list, text(name), optional(type)); }
}

class PerformanceObserver {
    // `type` and `entryTypes` exclude each other for an observer.
    #way = "";
    #callback; #types = { __proto__: null }; #waiting = []; #isObserving = false; #isScheduled = false;
    constructor(callback) {
        if (typeof callback !== "function") throw new $TypeError("the callback is not a function");
        this.#callback = callback;
    }
    static get supportedEntryTypes() { return supportedTypes; }
    observe(options = {}) {
        const { entryTypes, type, buffered } = options;
        if ((entryTypes === undefined) === (type === undefined)) {
            throw new $TypeError("either type or entryTypes is needed");
        }
        const way = type === undefined ? "entryTypes" : "type";
        if (this.#way !== "" && this.#way !== way) {
            throw new $DOMException(`this observer was given ${this.#way} before`, "InvalidModificationError");
        }
        this.#way = way;
        const wanted = { __proto__: null };
        if (type !== undefined) {
            wanted[text(type)] = true;
        } else {
            if (!isArray(entryTypes)) throw new $TypeError("the entry types are not a list");
            for (let index = 0; index < entryTypes.length; index++) wanted[text(entryTypes[index])] = true;
            this.#types = { __proto__: null };
        }
        for (let index = 0; index < supportedTypes.length; index++) {
            if (wanted[supportedTypes[index]]) this.#types[supportedTypes[index]] = true;
        }
        if (!this.#isObserving) append(observers, this);
        this.#isObserving = true;
        if (type === undefined || !buffered) return;
        const earlier = select(entries, undefined, text(type));
        for (let index = 0; index < earlier.length; index++) this.#add(earlier[index]);
    }
    disconnect() {
        this.#isObserving = false;
        this.#way = "";
        this.#waiting = [];
        this.#types = { __proto__: null };
        for (let index = 0; index < observers.length; index++) {
            if (observers[index] === this) arraySplice(observers, index, 1);
        }
    }
    takeRecords() {
        const list = this.#waiting;
        this.#waiting = [];
        return list;
    }
    #add(entry) {
        append(this.#waiting, entry);
        if (this.#isScheduled) return;
        this.#isScheduled = true;
        startTimer(() => {
            this.#isScheduled = false;
            const list = this.#waiting;
            this.#waiting = [];
            if (list.length === 0) return;
            callApp(this.#callback, this, [new PerformanceObserverEntryList(creation, list), this]);
        }, [], 0, false, false);
    }
    static tell(observer, entry) {
        if (observer.#types[partsOf(entry).entryType]) observer.#add(entry);
    }
}
const { tell } = PerformanceObserver;
delete PerformanceObserver.tell;

function notify(entry) {
    for (let index = 0; index < observers.length; index++) tell(observers[index], entry);
}

finishClass(PerformanceEntry, "PerformanceEntry");
finishClass(PerformanceMark, "PerformanceMark");
finishClass(PerformanceMeasure, "PerformanceMeasure");
finishClass(PerformanceObserver, "PerformanceObserver");
finishClass(PerformanceObserverEntryList, "PerformanceObserverEntryList");

return {
    __proto__: null,
    globals: {
        __proto__: null, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver,
        PerformanceObserverEntryList,
    },
    mark, measure,
    clearMarks(name) { drop("mark", optional(name)); },
    clearMeasures(name) { drop("measure", optional(name)); },
    getEntries: () => select(entries),
    getEntriesByType: (type) => select(entries, undefined, text(type)),
    getEntriesByName: (name, type) => select(entries, text(name), optional(type)),
};
