// FormData, and its form as a body, multipart/form-data.
const lineBreaks = (value) => replaceAll(value, /\r\n?|\n/g, "\r\n");

class FormData {
    #entries = [];
    constructor(form = undefined, submitter = null) {
        if (form === undefined) return;
        if (!isObject(form) || text(form.tagName) !== "FORM") throw new $TypeError("the argument is not a form");
        if (submitter !== null && submitter !== undefined && submitter.form !== form) {
            throw submitter.type === "submit" || submitter.type === "image"
                ? new $DOMException("the submitter is not of this form", "NotFoundError")
                : new $TypeError("the submitter is not a button that submits");
        }
        const { elements } = form;
        for (let index = 0; index < elements.length; index++) this.#addControl(elements[index], submitter);
    }
    append(name, value, fileName) { append(this.#entries, entryOf(name, value, fileName, arguments.length)); }
    set(name, value, fileName) {
        const entry = entryOf(name, value, fileName, arguments.length), rest = [];
        let isPlaced = false;
        for (let index = 0; index < this.#entries.length; index++) {
            if (this.#entries[index].name !== entry.name) {
                append(rest, this.#entries[index]);
            } else if (!isPlaced) {
                append(rest, entry);
                isPlaced = true;
            }
        }
        if (!isPlaced) append(rest, entry);
        this.#entries = rest;
    }
    delete(name) {
        const key = keyOf(name), rest = [];
        for (let index = 0; index < this.#entries.length; index++) {
            if (this.#entries[index].name !== key) append(rest, this.#entries[index]);
        }
        this.#entries = rest;
    }
    get(name) {
        const key = keyOf(name);
        for (let index = 0; index < this.#entries.length; index++) {
            if (this.#entries[index].name === key) return this.#entries[index].value;
        }
        return null;
    }
    getAll(name) {
        const key = keyOf(name), found = [];
        for (let index = 0; index < this.#entries.length; index++) {
            if (this.#entries[index].name === key) append(found, this.#entries[index].value);
        }
        return found;
    }
    has(name) {
        const key = keyOf(name);
        for (let index = 0; index < this.#entries.length; index++) if (this.#entries[index].name === key) return true;
        return false;
    }
    forEach(callback, self = undefined) {
        for (let index = 0; index < this.#entries.length; index++) {
            const { name, value } = this.#entries[index];
            apply(callback, self, [value, name, this]);
        }
    }
    entries() { return pairsOf(() => this.#entries, ({ name, value }) => [name, value]); }
    keys() { return pairsOf(() => this.#entries, ({ name }) => name); }
    values() { return pairsOf(() => this.#entries, ({ value }) => value); }
    #addControl(control, submitter) {
        const tag = text(control.tagName), type = lower(text(control.type ?? "")), name = text(control.name ?? "");
        if (control.disabled || tag === "FIELDSET" || tag === "OUTPUT" || tag === "OBJECT") return;
        const isButton = tag === "BUTTON" || type === "submit" || type === "button" || type === "reset" || type === "image";
        if (isButton && control !== submitter) return;
        if (name === "" && type !== "image") return;
        const add = (value) => append(this.#entries, { __proto__: null, name: wellFormed(name), value });
        if (tag === "SELECT") {
            for (let index = 0; index < control.options.length; index++) {
                const option = control.options[index];
                if (option.selected && !option.disabled) add(wellFormed(text(option.value)));
            }
        } else if (type === "checkbox" || type === "radio") {
            if (control.checked) add(control.hasAttribute("value") ? wellFormed(text(control.value)) : "on");
        } else if (type === "file") {
            add(newFile(new $Uint8Array(0), "application/octet-stream", ""));
        } else {
            add(wellFormed(text(control.value)));
        }
    }
    static internals = {
        __proto__: null,
        isFormData: (value) => isObject(value) && #entries in value,
        entriesOf: (form) => form.#entries,
    };
}
const { isFormData, entriesOf } = FormData.internals;
delete FormData.internals;
finishClass(FormData, "FormData");
hide(FormData.prototype, iterator, FormData.prototype.entries);

const keyOf = (name) => wellFormed(text(name));

function entryOf(name, value, fileName, count) {
    if (count < 2) throw new $TypeError("a name and a value are needed");
    const key = keyOf(name);
    if (!isBlob(value)) {
        if (count > 2 && fileName !== undefined) throw new $TypeError("the value is not a Blob");
        return { __proto__: null, name: key, value: keyOf(value) };
    }
    if (isFile(value) && fileName === undefined) return { __proto__: null, name: key, value };
    const title = fileName === undefined ? "blob" : keyOf(fileName);
    const modified = isFile(value) ? detailsOf(value).modified : now();
    return { __proto__: null, name: key, value: newFile(bytesOfBlob(value), typeOfBlob(value), title, modified) };
}

const escapedName = (name) => replaceAll(replaceAll(replaceAll(name, /\n/g, "%0A"), /\r/g, "%0D"), /"/g, "%22");

// The bytes of a form and their content type.
function formBytes(form) {
    const boundary = `----NervousFormBoundary${replaceAll(slice(randomUUID(), 0, 18), /-/g, "")}`, pieces = [];
    const entries = entriesOf(form);
    for (let index = 0; index < entries.length; index++) {
        const { name, value } = entries[index];
        const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapedName(lineBreaks(name))}"`;
        if (isBlob(value)) {
            const type = typeOfBlob(value);
            append(pieces, host.encode(`${head}; filename="${escapedName(detailsOf(value).name)}"\r\nContent-Type: ${
                type === "" ? "application/octet-stream" : type}\r\n\r\n`));
            append(pieces, bytesOfBlob(value));
            append(pieces, host.encode("\r\n"));
        } else {
            append(pieces, host.encode(`${head}\r\n\r\n${lineBreaks(value)}\r\n`));
        }
    }
    append(pieces, host.encode(`--${boundary}--\r\n`));
    return { bytes: joinBytes(pieces), type: `multipart/form-data; boundary=${boundary}` };
}

// The form that a body contains; throws if it contains none.
function formFrom(bytes, type) {
    const form = new FormData(), invalid = () => new $TypeError("the body is not a form");
    if (matches(/^application\/x-www-form-urlencoded\s*(?:;|$)/i, type)) {
        const pairs = parseForm(decodeText(bytes, false));
        for (let index = 0; index < pairs.length; index++) form.append(pairs[index].name, pairs[index].value);
        return form;
    }
    const boundary = execute(/^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;]+))/i, type);
    if (boundary === null) throw invalid();
    // One character for each byte, so that files keep theirs.
    const source = binaryText(bytes), mark = `--${boundary[1] ?? boundary[2]}`;
    const utf8 = (part) => decodeText(bytesOfBinary(part), false);
    let at = indexOf(source, mark);
    if (at < 0) throw invalid();
    for (;;) {
        at += mark.length;
        if (slice(source, at, at + 2) === "--") return form;
        if (slice(source, at, at + 2) !== "\r\n") throw invalid();
        const end = indexOf(source, `\r\n${mark}`, at), gap = indexOf(source, "\r\n\r\n", at);
        if (end < 0 || gap < 0 || gap > end) throw invalid();
        const head = slice(source, at + 2, gap + 2), content = slice(source, gap + 4, end);
        const name = execute(/^content-disposition:\s*form-data\s*;\s*name="([^"]*)"(?:\s*;\s*filename="([^"]*)")?/im, head);
        if (name === null) throw invalid();
        const plain = (value) => replaceAll(replaceAll(replaceAll(utf8(value), /%0A/gi, "\n"), /%0D/gi, "\r"), /%22/g, "\"");
        const kind = execute(/^content-type:[ \t]*([^\r\n]*)/im, head);
        if (name[2] === undefined) {
            form.append(plain(name[1]), withoutMark(bytesOfBinary(content)));
        } else {
            form.append(plain(name[1]), newFile(
                bytesOfBinary(content), typeOf(kind === null ? "text/plain" : kind[1]), plain(name[2])));
        }
        at = end + 2;
    }
}

function bytesOfBinary(string) {
    const bytes = new $Uint8Array(string.length);
    for (let index = 0; index < string.length; index++) bytes[index] = charCode(string, index);
    return bytes;
}

return {
    __proto__: null,
    globals: { __proto__: null, Blob, File, FileReader, FormData },
    isBlob, isFile, bytesOfBlob, typeOfBlob, detailsOf, newBlob, newFile, cloneBlob, isFormData, formBytes, formFrom,
    objectOf: (address) => mapGet(objects, address),
};
