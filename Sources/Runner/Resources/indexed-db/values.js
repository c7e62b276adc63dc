// Stored values. A value is the JSON of its clone if it has nothing else than JSON can say, after "j". Otherwise it
// is the JSON of a list of its objects, after "t", in which they refer to one another by their numbers.

// A pure JavaScript loop takes a second for a mebibyte, so the engine's function is used if it has it.
const nativeToBase64 = member($Uint8Array.prototype, "toBase64"), nativeFromBase64 = member($Uint8Array, "fromBase64");
function base64Of(bytes) {
    if (nativeToBase64 !== undefined) return apply(nativeToBase64, bytes, []);
    let string = "";
    for (let index = 0; index < viewLength(bytes); index++) string += fromCharCode(bytes[index]);
    return encodeBase64(string);
}
const bytesFrom = (base64) => (nativeFromBase64 === undefined ? bytesOfBase64(base64)
    : apply(nativeFromBase64, $Uint8Array, [base64]));

const objectPrototype = $Object.prototype, arrayPrototype = $Array.prototype;
const isPlainNumber = (value) => isFiniteNumber(value) && (value !== 0 || 1 / value > 0);

// A copy whose prototypes the app cannot have changed; `nothing` if JSON cannot say it. `seen` has the objects so far:
// those of most values are one, for which there is no set.
function plainCopy(value, seen) {
    switch (typeof value) {
    case "string": case "boolean": return value;
    case "number": return isPlainNumber(value) ? value : nothing;
    case "object": break;
    default: return nothing;
    }
    if (value === null) return null;
    const prototype = getPrototypeOf(value), isList = isArray(value);
    if (isList ? prototype !== arrayPrototype : prototype !== objectPrototype) return nothing;
    if (seen.first === null) {
        seen.first = value;
    } else {
        seen.set ??= new $Set();
        if (value === seen.first || setHas(seen.set, value)) return nothing;
        setAdd(seen.set, value);
    }
    const keys = ownKeys(value), copy = isList ? bareList() : { __proto__: null };
    if (isList && (keys.length !== value.length + 1 || keys[value.length] !== "length")) return nothing;
    for (let index = 0; index < keys.length - (isList ? 1 : 0); index++) {
        const item = plainCopy(value[keys[index]], seen);
        if (item === nothing) return nothing;
        copy[keys[index]] = item;
    }
    return copy;
}

function writeValue(clone) {
    const copy = plainCopy(clone, { __proto__: null, first: null, set: null });
    return flat(copy === nothing ? `t${tableOf(clone)}` : `j${stringifyJSON(copy)}`);
}

// Joined strings keep their parts until a character is read.
function flat(string) {
    charCode(string, 0);
    return string;
}

function tableOf(clone) {
    const numbers = new $Map(), rows = bareList();
    const primitive = (value) => {
        switch (typeof value) {
        case "undefined": return bareOf("u");
        case "bigint": return bareOf("i", text(value));
        case "number": return isPlainNumber(value) ? value : bareOf("n", value === 0 ? "-0" : text(value));
        default: return value;
        }
    };
    const cell = (value) => {
        if (!isObject(value)) return primitive(value);
        let number = mapGet(numbers, value);
        if (number === undefined) {
            number = rows.length;
            mapSet(numbers, value, number);
            rows[number] = null;
            rows[number] = row(value);
        }
        return bareOf(number);
    };
    const row = (value) => {
        if (has(booleanValue, value)) return bareOf("w", booleanValue(value));
        if (has(numberValue, value)) return bareOf("w", primitive(numberValue(value)));
        if (has(stringValue, value)) return bareOf("w", stringValue(value));
        if (has(bigIntValue, value)) return bareOf("w", primitive(bigIntValue(value)));
        if (has(dateBrand, value)) return bareOf("d", primitive(dateValue(value)));
        if (has(bufferBrand, value)) return bareOf("b", base64Of(bytesWithin(value)));
        if (isView(value)) {
            const kind = typedArrayName(value) ?? "DataView", isData = kind === "DataView";
            return bareOf("v", kind, cell(bufferOf(value)), isData ? dataViewOffset(value) : typedArrayOffset(value),
                isData ? dataViewSize(value) : viewLength(value));
        }
        if (has(regExpSource, value)) return bareOf("r", regExpSource(value), regExpFlags(value));
        const blobs = broughtPart("blob");
        if (blobs !== null && blobs.isBlob(value)) {
            const cells = bareOf("f", base64Of(blobs.bytesOfBlob(value)), blobs.typeOfBlob(value));
            if (blobs.isFile(value)) {
                const { name, modified } = blobs.detailsOf(value);
                cells[3] = name;
                cells[4] = modified;
            }
            return cells;
        }
        if (has(mapBrand, value)) {
            const cells = bareOf("m");
            mapEach(value, (item, key) => {
                cells[cells.length] = cell(key);
                cells[cells.length] = cell(item);
            });
            return cells;
        }
        if (has(setBrand, value)) {
            const cells = bareOf("s");
            setEach(value, (item) => { cells[cells.length] = cell(item); });
            return cells;
        }
        if (isException(value)) return bareOf("x", text(value.message), text(value.name), text(member(value, "stack") ?? ""));
        if (isError(value)) {
            const name = text(value.name ?? "Error"), cells = bareOf("e", name, text(value.message ?? ""), text(member(value, "stack") ?? ""));
            const cause = getOwnPropertyDescriptor(value, "cause");
            if (cause !== undefined) cells[4] = cell(cause.value);
            return cells;
        }
        const isList = isArray(value), cells = isList ? bareOf("a", value.length) : bareOf("o"), keys = ownKeys(value);
        for (let index = 0; index < keys.length; index++) {
            if (isList && keys[index] === "length") continue;
            cells[cells.length] = keys[index];
            cells[cells.length] = cell(value[keys[index]]);
        }
        return cells;
    };
    const first = cell(clone);
    return stringifyJSON(bareOf(first, rows));
}

function bareOf(...items) {
    const list = bareList();
    for (let index = 0; index < items.length; index++) list[index] = items[index];
    return list;
}

// A new value for each reader.
function readValue(string) {
    const parsed = parseJSON(slice(string, 1));
    return string[0] === "j" ? parsed : valueOfTable(parsed[0], parsed[1]);
}

function valueOfTable(first, rows) {
    const made = new $Map();
    const put = (object, key, value) => setProperty(object, key, {
        __proto__: null, value, writable: true, enumerable: true, configurable: true,
    });
    const read = (cell) => {
        if (!isArray(cell)) return cell;
        switch (cell[0]) {
        case "u": return undefined;
        case "i": return $BigInt(cell[1]);
        case "n": return +cell[1];
        default: return object(cell[0]);
        }
    };
    const object = (number) => {
        if (mapHas(made, number)) return mapGet(made, number);
        const row = rows[number];
        const keep = (value) => {
            mapSet(made, number, value);
            return value;
        };
        switch (row[0]) {
        case "w": return keep($Object(read(row[1])));
        case "d": return keep(new $Date(read(row[1])));
        case "b": return keep(typedArrayBuffer(bytesFrom(row[1])));
        case "v": return keep(new viewClasses[row[1]](read(row[2]), row[3], row[4]));
        case "r": return keep(new $RegExp(row[1], row[2]));
        case "f": {
            const blobs = bringPart("blob"), bytes = bytesFrom(row[1]);
            return keep(row.length > 3 ? blobs.newFile(bytes, row[2], row[3], row[4]) : blobs.newBlob(bytes, row[2]));
        }
        case "m": {
            const map = keep(new $Map());
            for (let index = 1; index < row.length; index += 2) mapSet(map, read(row[index]), read(row[index + 1]));
            return map;
        }
        case "s": {
            const set = keep(new $Set());
            for (let index = 1; index < row.length; index++) setAdd(set, read(row[index]));
            return set;
        }
        case "x": {
            const error = keep(new $DOMException(row[1], row[2]));
            if (row[3] !== "") hide(error, "stack", row[3]);
            return error;
        }
        case "e": {
            const error = keep(new (errorTypes[row[1]] ?? $Error)(row[2]));
            if (row[3] !== "") hide(error, "stack", row[3]);
            if (row.length > 4) hide(error, "cause", read(row[4]));
            return error;
        }
        default: {
            const isList = row[0] === "a", value = keep(isList ? new $Array(row[1]) : {});
            for (let index = isList ? 2 : 1; index < row.length; index += 2) put(value, row[index], read(row[index + 1]));
            return value;
        }
        }
    };
    return read(first);
}
