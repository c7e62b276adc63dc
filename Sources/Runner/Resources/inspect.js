// Formats values like Node's `util.inspect`.
const inspectDepth = 3, inspectItems = 100, inspectWidth = 72, inspectText = 10000;

function quote(string) {
    const cut = string.length > inspectText;
    const mark = indexOf(string, "'") < 0 ? "'" : indexOf(string, '"') < 0 ? '"' : "`";
    const shown = cut ? slice(string, 0, inspectText) : string;
    let body = "";
    for (let index = 0; index < shown.length; index++) {
        const code = charCode(shown, index);
        if (code === 10) body += "\\n";
        else if (code === 13) body += "\\r";
        else if (code === 9) body += "\\t";
        else if (code === 92) body += "\\\\";
        else if (code < 32 || code === 127) body += `\\x${padStart(numberText(code, 16), 2, "0")}`;
        else body += shown[index];
    }
    return mark + body + mark + (cut ? `... ${string.length - inspectText} more characters` : "");
}

function inspectPrimitive(value) {
    switch (typeof value) {
    case "string": return quote(value);
    case "bigint": return `${value}n`;
    case "symbol": return symbolText(value);
    case "number": return value === 0 && 1 / value < 0 ? "-0" : `${value}`;
    default: return `${value}`;
    }
}

function className(value) {
    let prototype = getPrototypeOf(value);
    if (prototype === null) return "[Object: null prototype]";
    while (prototype !== null) {
        const maker = member(prototype, "constructor");
        const name = typeof maker === "function" ? member(maker, "name") : undefined;
        if (typeof name === "string" && name !== "") return name;
        prototype = getPrototypeOf(prototype);
    }
    return "Object";
}

function inspectFunction(value) {
    const name = member(value, "name");
    const isClass = startsWith(functionText(value), "class");
    if (typeof name !== "string" || name === "") {
        return isClass ? "[class (anonymous)]" : "[Function (anonymous)]";
    }
    return isClass ? `[class ${name}]` : `[Function: ${name}]`;
}

const isIndex = (key) => typeof key === "string" && matches(/^(?:0|[1-9]\d*)$/, key);

function inspectKey(key) {
    if (typeof key === "symbol") return `[${symbolText(key)}]`;
    return matches(/^[A-Za-z_$][\w$]*$/, key) ? key : quote(key);
}

const anatomyOf = (prefix, entries) => ({ prefix, open: "{", close: "}", entries, isIndexed: false });
const listAnatomy = (prefix, entries) => ({ prefix, open: "[", close: "]", entries, isIndexed: true });

// The prefix, the braces, and the entries that are not properties.
function anatomy(value, nested) {
    const entries = [];
    const name = className(value);
    const limited = (size) => {
        if (size > inspectItems) append(entries, `... ${size - inspectItems} more items`);
    };
    const indexed = (size) => {
        for (let index = 0; index < min(size, inspectItems); index++) {
            const slot = getOwnPropertyDescriptor(value, index);
            append(entries, slot === undefined ? "<empty>" : "value" in slot
                ? nested(slot.value) : "[Getter]");
        }
        limited(size);
    };
    if (isArray(value)) {
        indexed(value.length);
        return listAnatomy(name === "Array" ? "" : `${name}(${value.length}) `, entries);
    }
    if (typedArrayName(value) !== undefined) {
        indexed(viewLength(value));
        return listAnatomy(`${name}(${viewLength(value)}) `, entries);
    }
    if (has(mapBrand, value)) {
        mapEach(value, (item, key) => {
            if (entries.length < inspectItems) append(entries, `${nested(key)} => ${nested(item)}`);
        });
        limited(mapSize(value));
        return anatomyOf(`${name}(${mapSize(value)}) `, entries);
    }
    if (has(setBrand, value)) {
        setEach(value, (item) => {
            if (entries.length < inspectItems) append(entries, nested(item));
        });
        limited(setSize(value));
        return anatomyOf(`${name}(${setSize(value)}) `, entries);
    }
    if (has(bufferBrand, value)) {
        append(entries, `byteLength: ${bufferSize(value)}`);
        return anatomyOf(`${name} `, entries);
    }
    return anatomyOf(name === "Object" ? "" : `${name} `, entries);
}

function layOut(prefix, open, close, entries, indent) {
    if (entries.length === 0) return `${prefix}${open}${close}`;
    let width = prefix.length + indent.length, breaks = false;
    for (let index = 0; index < entries.length; index++) {
        width += entries[index].length + 2;
        breaks ||= indexOf(entries[index], "\n") >= 0;
    }
    if (!breaks && width <= inspectWidth) {
        return `${prefix}${open} ${arrayJoin(entries, ", ")} ${close}`;
    }
    return `${prefix}${open}\n${indent}  ${arrayJoin(entries, `,\n${indent}  `)}\n${indent}${close}`;
}

function inspectObject(value, depth, indent, above) {
    for (let level = above; level !== null; level = level.above) {
        if (level.value === value) return "[Circular]";
    }
    if (isError(value)) return stackOf(value);
    const description = safely(() => hooks.textOf(value), undefined);
    if (typeof description === "string") return description;
    if (has(dateBrand, value)) return safely(() => dateText(value), "Invalid Date");
    if (value instanceof $RegExp) return `/${regExpSource(value)}/${regExpFlags(value)}`;
    let lead = "";
    if (typeof value === "function") lead = inspectFunction(value);
    if (depth > inspectDepth) {
        return lead !== "" ? lead : isArray(value) ? "[Array]" : `[${className(value)}]`;
    }
    const level = { value, above };
    const nested = (item) => inspectAny(item, depth + 1, `${indent}  `, level);
    const { prefix, open, close, entries, isIndexed: skipsIndices } =
        lead !== "" ? anatomyOf(`${lead} `, []) : anatomy(value, nested);
    const keys = ownKeys(value);
    let shown = 0;
    for (let index = 0; index < keys.length; index++) {
        const key = keys[index];
        if (skipsIndices && isIndex(key)) continue;
        const slot = getOwnPropertyDescriptor(value, key);
        if (slot === undefined || !slot.enumerable) continue;
        if (++shown > inspectItems) continue;
        const item = "value" in slot ? nested(slot.value)
            : slot.get === undefined ? "[Setter]" : slot.set === undefined
                ? "[Getter]" : "[Getter/Setter]";
        append(entries, `${inspectKey(key)}: ${item}`);
    }
    if (shown > inspectItems) append(entries, `... ${shown - inspectItems} more properties`);
    if (lead !== "" && entries.length === 0) return lead;
    return layOut(prefix, open, close, entries, indent);
}

function inspectAny(value, depth, indent, above) {
    if (!isObject(value)) return inspectPrimitive(value);
    return safely(() => inspectObject(value, depth, indent, above), "[object that cannot be shown]");
}

const inspect = (value) => inspectAny(value, 0, "", null);

function formatDirective(letter, value) {
    switch (letter) {
    case "s": return typeof value === "string" ? value : inspect(value);
    case "d": return typeof value === "bigint" ? `${value}n` : safely(() => `${$Number(value)}`, "NaN");
    case "i": return typeof value === "bigint" ? `${value}n` : safely(() => `${toInteger(value)}`, "NaN");
    case "f": return safely(() => `${parseFloatNumber(value)}`, "NaN");
    case "j": return safely(() => stringifyJSON(value), "[Circular]") ?? "undefined";
    case "c": return "";
    default: return inspect(value);
    }
}

// Formats the arguments of `console.log`.
function format(list) {
    let line = "", next = 0;
    if (typeof list[0] === "string" && list.length > 1) {
        const pattern = list[0];
        next = 1;
        for (let index = 0; index < pattern.length; index++) {
            const letter = pattern[index] === "%" ? pattern[index + 1] : undefined;
            if (letter === "%") {
                line += "%";
                index++;
            } else if (letter !== undefined && indexOf("sdifjoOc", letter) >= 0
                && next < list.length) {
                line += formatDirective(letter, list[next++]);
                index++;
            } else {
                line += pattern[index];
            }
        }
        if (next < list.length) line += " ";
    }
    for (let index = next; index < list.length; index++) {
        const value = list[index];
        line += (index > next ? " " : "") + (typeof value === "string" ? value : inspect(value));
    }
    return line;
}
