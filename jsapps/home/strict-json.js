// JSON as in RFC 8259, with what `JSON.parse` lets pass: a key that occurs twice in an object is an error. Errors
// name line and column.

const MOST_CHARACTERS = 262_144, DEEPEST = 32;
const SPACE = /[ \t\n\r]*/y, STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y, WORD = /true|false|null/y;

/** An error in a document, with its place, counted from 1. */
export class DocumentError extends Error {
  constructor(message, text, at) {
    const before = text.slice(0, at).split("\n");
    const [line, column] = [before.length, before.at(-1).length + 1];
    super(`Line ${line}, column ${column}: ${message}`);
    this.name = "DocumentError";
    Object.assign(this, { line, column });
  }
}

/**
 * The value of a document of up to 256 KiB and 32 levels.
 *
 * @throws {DocumentError}
 */
export function parse(text) {
  if (text.length > MOST_CHARACTERS) throw new DocumentError("the document is longer than 262144 characters", text, 0);
  const reader = new Reader(text);
  const value = reader.value(0, "the document");
  reader.skip();
  if (reader.at < text.length) reader.fail("expected the end of the document");
  return value;
}

class Reader {
  at = 0;
  #text;

  constructor(text) {
    this.#text = text;
  }

  fail(message, at = this.at) {
    const found = at < this.#text.length ? `found ${JSON.stringify(this.#text[at])}` : "the document ends";
    throw new DocumentError(`${message}, ${found}.`, this.#text, at);
  }

  #take(pattern) {
    pattern.lastIndex = this.at;
    const [token] = pattern.exec(this.#text) ?? [];
    if (token !== undefined) this.at += token.length;
    return token;
  }

  skip() {
    this.#take(SPACE);
  }

  #takes(character) {
    this.skip();
    if (this.#text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  value(depth, place) {
    if (depth > DEEPEST) this.fail(`${place} is nested too deeply`);
    if (this.#takes("{")) return this.#object(depth);
    if (this.#takes("[")) return this.#list(depth, place);
    const token = this.#take(STRING) ?? this.#take(WORD) ?? this.#take(NUMBER);
    if (token === undefined) this.fail(`expected a value for ${place}`);
    return JSON.parse(token);
  }

  #object(depth) {
    const members = new Map();
    if (this.#takes("}")) return {};
    for (;;) {
      this.skip();
      const start = this.at, token = this.#take(STRING);
      if (token === undefined) this.fail("expected a key in quotation marks");
      const key = JSON.parse(token);
      if (members.has(key)) {
        throw new DocumentError(`the key ${token} occurs twice in the same object. Keep one of them.`, this.#text, start);
      }
      if (!this.#takes(":")) this.fail(`expected ":" after ${token}`);
      members.set(key, this.value(depth + 1, token));
      if (this.#takes("}")) return Object.fromEntries(members);
      if (!this.#takes(",")) this.fail(`expected "," or "}" after the value of ${token}`);
    }
  }

  #list(depth, place) {
    const items = [];
    if (this.#takes("]")) return items;
    for (;;) {
      items.push(this.value(depth + 1, `an item of ${place}`));
      if (this.#takes("]")) return items;
      if (!this.#takes(",")) this.fail(`expected "," or "]" after an item of ${place}`);
    }
  }
}
