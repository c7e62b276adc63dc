// International host names, after https://www.unicode.org/reports/tr46, with what the engine knows of Unicode: its
// normalisation, lower case and properties. The rules for joiners of other scripts than
// Arabic and for writing directions are simplified.
const ignored = /[\u00ad\u034f\u180b-\u180d\u180f\u200b\u2060\u2064\ufe00-\ufe0f\ufeff\u{e0100}-\u{e01ef}]/gu;
const disallowed = /[\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\u0080-\u009f\u2ff0-\u2fff\ufff9-\uffff]|(?![\u200c\u200d])\p{Cf}/u;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const virama = /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua8c4\ua953\ua9c0\uaaf6\uabed]/u;

function mapped(source) {
    const string = normalize(replaceAll(source, ignored, ""), "NFKC");
    let result = "";
    for (let index = 0; index < string.length;) {
        const point = codePoint(string, index), letter = fromCodePoint(point);
        index += letter.length;
        // One at a time: a sigma at the end of a word has a lower case of its own.
        result += point === 0x3002 ? "." : lower(letter);
    }
    return normalize(replaceAll(result, ignored, ""), "NFKC");
}

// Letters of Arabic that join the letter before them only, and none; the others join both. After ArabicShaping.txt of Unicode.
const joinsBefore = /[\u0622-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef\u0759-\u075b\u076b\u076c\u0771\u0773\u0774\u0778\u0779]/u;
const joinsBoth = /(?![\u0621\u0674\u06dd])(?=\p{L})\p{Script=Arabic}/u;

// Whether a non-joiner parts two letters that would join, after https://www.rfc-editor.org/rfc/rfc5892#appendix-A.1.
function joins(label, place) {
    let before = place - 1, after = place + 1;
    while (before >= 0 && matches(/\p{M}/u, label[before])) before--;
    while (after < label.length && matches(/\p{M}/u, label[after])) after++;
    if (before < 0 || after >= label.length) return false;
    return matches(joinsBoth, label[before]) && !matches(joinsBefore, label[before]) && matches(joinsBoth, label[after]);
}

function isValid(label) {
    if (label !== normalize(label, "NFC") || matches(disallowed, label) || matches(/^\p{M}/u, label)) return false;
    if (label !== mapped(label)) return false;
    for (let index = 0; index < label.length; index++) {
        const unit = charCode(label, index);
        if (unit !== 0x200c && unit !== 0x200d) continue;
        if (index > 0 && matches(virama, label[index - 1])) continue;
        if (unit === 0x200d || !joins(label, index)) return false;
    }
    if (!matches(rightToLeft, label)) return true;
    // A label with letters from right to left has no others, and begins and ends with them or with digits.
    const first = fromCodePoint(codePoint(label, 0));
    if (!matches(rightToLeft, first) || !matches(/[\p{L}\p{Nd}\p{M}]$/u, label)) return false;
    for (let index = 0; index < label.length;) {
        const letter = fromCodePoint(codePoint(label, index));
        index += letter.length;
        if (matches(/\p{L}/u, letter) && !matches(rightToLeft, letter)) return false;
    }
    return true;
}

const adapt = (delta, count, isFirst) => {
    let rest = floor(delta / (isFirst ? 700 : 2)), k = 0;
    rest += floor(rest / count);
    for (; rest > 455; k += 36) rest = floor(rest / 35);
    return k + floor(36 * rest / (rest + 38));
};
const threshold = (k, bias) => (k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias);
const digits = "abcdefghijklmnopqrstuvwxyz0123456789";

function encodePunycode(label) {
    const points = [];
    let result = "";
    for (let index = 0; index < label.length;) {
        const point = codePoint(label, index);
        index += point > 0xffff ? 2 : 1;
        append(points, point);
        if (point < 128) result += fromCharCode(point);
    }
    const basic = result.length;
    let handled = basic, next = 128, delta = 0, bias = 72;
    if (basic > 0) result += "-";
    while (handled < points.length) {
        let smallest = 0x7fffffff;
        for (let index = 0; index < points.length; index++) {
            if (points[index] >= next && points[index] < smallest) smallest = points[index];
        }
        delta += (smallest - next) * (handled + 1);
        next = smallest;
        for (let index = 0; index < points.length; index++) {
            if (points[index] < next) delta++;
            if (points[index] !== next) continue;
            let rest = delta;
            for (let k = 36; ; k += 36) {
                const limit = threshold(k, bias);
                if (rest < limit) break;
                result += digits[limit + (rest - limit) % (36 - limit)];
                rest = floor((rest - limit) / (36 - limit));
            }
            result += digits[rest];
            bias = adapt(delta, handled + 1, handled === basic);
            delta = 0;
            handled++;
        }
        delta++;
        next++;
    }
    return result;
}

// The label, or null if it is invalid.
function decodePunycode(source) {
    const points = [], last = lastIndexOf(source, "-");
    for (let index = 0; index < last; index++) append(points, charCode(source, index));
    let next = 128, place = 0, bias = 72;
    for (let index = last + 1; index < source.length;) {
        const before = place;
        for (let weight = 1, k = 36; ; k += 36) {
            const digit = index < source.length ? indexOf(digits, source[index++]) : -1;
            if (digit < 0) return null;
            place += digit * weight;
            const limit = threshold(k, bias);
            if (digit < limit) break;
            weight *= 36 - limit;
            if (weight > 0x7fffffff) return null;
        }
        const count = points.length + 1;
        bias = adapt(place - before, count, before === 0);
        next += floor(place / count);
        place %= count;
        if (next > 0x10ffff) return null;
        append(points, 0);
        for (let at = points.length - 1; at > place; at--) points[at] = points[at - 1];
        points[place++] = next;
    }
    let label = "";
    for (let index = 0; index < points.length; index++) label += fromCodePoint(points[index]);
    return label;
}

// The host name in ASCII, or null if it is invalid.
function toASCII(name) {
    const labels = split(mapped(name), ".");
    for (let index = 0; index < labels.length; index++) {
        const label = labels[index];
        if (startsWith(label, "xn--")) {
            if (matches(/[^\0-\x7f]/, label)) return null;
            const decoded = decodePunycode(slice(label, 4));
            if (decoded === null || !matches(/[^\0-\x7f]/, decoded) || !isValid(decoded)) return null;
            if (`xn--${encodePunycode(decoded)}` !== label) return null;
        } else if (matches(/[^\0-\x7f]/, label)) {
            if (!isValid(label)) return null;
            labels[index] = `xn--${encodePunycode(label)}`;
        }
    }
    return arrayJoin(labels, ".");
}

return { __proto__: null, globals: { __proto__: null }, toASCII };
