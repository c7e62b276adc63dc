// structuredClone for JSON values, Date, RegExp, Map, Set, Error, buffers and their views.
// Objects in `transfer` are copied and stay usable.
{
    const refuse = (value) => new $DOMException(
        `${inspectAny(value, inspectDepth, "", null)} cannot be cloned`, "DataCloneError");
    const views = { __proto__: null };
    for (const name of [
        "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array",
        "Uint32Array", "Float16Array", "Float32Array", "Float64Array", "BigInt64Array",
        "BigUint64Array",
    ]) {
        if (globalObject[name] !== undefined) views[name] = globalObject[name];
    }
    const errors = {
        __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError,
    };

    const cloneObject = (value, seen) => {
        const keep = (copy) => {
            mapSet(seen, value, copy);
            return copy;
        };
        if (typeof value === "function") throw refuse(value);
        if (has(dateBrand, value)) return keep(new $Date(dateValue(value)));
        if (has(bufferBrand, value)) return keep(typedArrayBuffer(bytesOf(value)));
        const view = typedArrayName(value);
        if (view !== undefined) return keep(new views[view](typedArrayBuffer(bytesOf(value))));
        if (isView(value)) return keep(new $DataView(typedArrayBuffer(bytesOf(value))));
        if (value instanceof $RegExp) return keep(new $RegExp(regExpSource(value), regExpFlags(value)));
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
            const copy = keep(new (errors[value.name] ?? $Error)(text(value.message ?? "")));
            const stack = member(value, "stack");
            if (typeof stack === "string") hide(copy, "stack", stack);
            const cause = getOwnPropertyDescriptor(value, "cause");
            if (cause !== undefined) hide(copy, "cause", clone(value.cause, seen));
            return copy;
        }
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

    define("structuredClone", function structuredClone(value) { return clone(value, new $Map()); });
}
