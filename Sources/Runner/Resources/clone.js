// structuredClone. Buffers can be transferred; streams and ports cannot.
const errorTypes = {
    __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError,
};
{
    const refuse = (value) => new $DOMException(
        `${inspectAny(value, inspectDepth, "", null)} cannot be cloned`, "DataCloneError");

    const objectPrototype = $Object.prototype, objectText = uncurry($Object.prototype.toString);
    // Objects without slots, which most are: to ask for each kind of slot makes an exception each time.
    const isOrdinary = (value) => getPrototypeOf(value) === objectPrototype
        && getOwnPropertyDescriptor(value, toStringTag) === undefined
        && getOwnPropertyDescriptor(objectPrototype, toStringTag) === undefined
        && objectText(value) === "[object Object]";

    const regExpPrototype = $RegExp.prototype, { WeakSet, WeakRef } = globalObject;

    // Views of one buffer stay views of one buffer.
    const cloneView = (value, seen) => {
        const kind = typedArrayName(value) ?? "DataView";
        const isData = kind === "DataView";
        const buffer = isData ? dataViewBuffer(value) : typedArrayBuffer(value);
        if (isDetached(buffer)) throw refuse(value);
        const offset = isData ? dataViewOffset(value) : typedArrayOffset(value);
        const length = isData ? dataViewSize(value) : viewLength(value);
        return new viewClasses[kind](clone(buffer, seen), offset, length);
    };

    const cloneObject = (value, seen) => {
        const keep = (copy) => {
            mapSet(seen, value, copy);
            return copy;
        };
        if (typeof value === "function") throw refuse(value);
        if (isArray(value) || isOrdinary(value)) return copyMembers(value, keep, seen);
        if (value instanceof $Promise || value instanceof $WeakMap || value instanceof WeakSet
            || value instanceof WeakRef) throw refuse(value);
        if (has(booleanValue, value)) return keep($Object(booleanValue(value)));
        if (has(numberValue, value)) return keep($Object(numberValue(value)));
        if (has(stringValue, value)) return keep($Object(stringValue(value)));
        if (has(bigIntValue, value)) return keep($Object(bigIntValue(value)));
        if (has(symbolText, value)) throw refuse(value);
        if (has(dateBrand, value)) return keep(new $Date(dateValue(value)));
        if (has(bufferBrand, value)) {
            if (isDetached(value)) throw refuse(value);
            return keep(typedArrayBuffer(bytesOf(value)));
        }
        if (isView(value)) return keep(cloneView(value, seen));
        if (has(regExpSource, value) && value !== regExpPrototype) {
            return keep(new $RegExp(regExpSource(value), regExpFlags(value)));
        }
        const blobs = broughtPart("blob");
        if (blobs !== null && blobs.isBlob(value)) return keep(blobs.cloneBlob(value));
        if (isException(value)) {
            const copy = keep(new $DOMException(text(value.message), text(value.name)));
            const stack = member(value, "stack");
            if (typeof stack === "string") hide(copy, "stack", stack);
            return copy;
        }
        for (let at = getPrototypeOf(value); at !== null; at = getPrototypeOf(at)) {
            if (setHas(platformPrototypes, at)) throw refuse(value);
        }
        if (has(mapBrand, value)) {
            const copy = keep(new $Map()), entries = [];
            mapEach(value, (item, key) => append(entries, { key, item }));
            for (let index = 0; index < entries.length; index++) {
                mapSet(copy, clone(entries[index].key, seen), clone(entries[index].item, seen));
            }
            return copy;
        }
        if (has(setBrand, value)) {
            const copy = keep(new $Set()), entries = [];
            setEach(value, (item) => append(entries, item));
            for (let index = 0; index < entries.length; index++) {
                setAdd(copy, clone(entries[index], seen));
            }
            return copy;
        }
        if (isError(value)) {
            const copy = keep(new (errorTypes[value.name] ?? $Error)(text(value.message ?? "")));
            const stack = member(value, "stack");
            if (typeof stack === "string") hide(copy, "stack", stack);
            const cause = getOwnPropertyDescriptor(value, "cause");
            if (cause !== undefined) hide(copy, "cause", clone(value.cause, seen));
            return copy;
        }
        return copyMembers(value, keep, seen);
    };

    const copyMembers = (value, keep, seen) => {
        const copy = keep(isArray(value) ? new $Array(value.length) : {});
        const keys = ownKeys(value);
        for (let index = 0; index < keys.length; index++) {
            if (typeof keys[index] !== "string") continue;
            if (!getOwnPropertyDescriptor(value, keys[index])?.enumerable) continue;
            setProperty(copy, keys[index], {
                __proto__: null, value: clone(value[keys[index]], seen), writable: true,
                enumerable: true, configurable: true,
            });
        }
        return copy;
    };

    const clone = (value, seen) => {
        if (typeof value === "symbol") throw refuse(value);
        if (!isObject(value)) return value;
        return mapHas(seen, value) ? mapGet(seen, value) : cloneObject(value, seen);
    };

    // The buffers to be transferred. Their clones have the same bytes, and they are empty afterwards.
    const transferOf = (options) => {
        if (options === undefined || options === null) return [];
        if (!isObject(options)) throw new $TypeError("the options are not an object");
        const given = options.transfer, list = [];
        if (given === undefined) return [];
        for (const object of given) append(list, object);
        return list;
    };

    define("structuredClone", function structuredClone(value, options = {}) {
        if (arguments.length === 0) throw new $TypeError("a value is needed");
        if (!isObject(value) && typeof value !== "symbol" && arguments.length === 1) return value;
        const seen = new $Map(), moved = transferOf(options);
        for (let index = 0; index < moved.length; index++) {
            const buffer = moved[index];
            if (!isObject(buffer) || !has(bufferBrand, buffer) || isDetached(buffer) || mapHas(seen, buffer)) {
                throw refuse(buffer);
            }
            mapSet(seen, buffer, typedArrayBuffer(bytesOf(buffer)));
        }
        const copy = clone(value, seen);
        for (let index = 0; index < moved.length; index++) transferBuffer(moved[index]);
        return copy;
    });
}
