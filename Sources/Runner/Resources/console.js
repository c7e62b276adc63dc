// `console`: each call sends one line to the host, which limits and shows it.
{
    const levels = { __proto__: null, debug: 0, log: 1, info: 2, warn: 3, error: 4 };
    const counters = new $Map(), timers = new $Map();
    let indent = "";

    const say = (level, line) => {
        host.console(level, indent === "" ? line
            : indent + arrayJoin(split(line, "\n"), `\n${indent}`));
    };
    const label = (value) => (value === undefined ? "default" : text(value));
    const elapsed = (name) => {
        const start = mapGet(timers, name);
        return start === undefined ? null : `${name}: ${fixed(host.now() - start, 3)} ms`;
    };

    const cell = (value) => inspectAny(value, inspectDepth, "", null);
    const table = (data) => {
        const rows = ownKeys(data), columns = [], header = ["(index)"], grid = [];
        let hasValues = false;
        for (let index = 0; index < rows.length; index++) {
            const slot = getOwnPropertyDescriptor(data, rows[index]);
            if (!slot.enumerable) continue;
            const row = data[rows[index]];
            append(grid, [text(rows[index]), row]);
            if (!isObject(row)) { hasValues = true; continue; }
            const keys = ownKeys(row);
            for (let at = 0; at < keys.length; at++) {
                if (typeof keys[at] !== "string" || !getOwnPropertyDescriptor(row, keys[at]).enumerable) continue;
                let known = false;
                for (let other = 0; other < columns.length; other++) known ||= columns[other] === keys[at];
                if (!known && columns.length < 50) append(columns, keys[at]);
            }
        }
        for (let at = 0; at < columns.length; at++) append(header, columns[at]);
        if (hasValues) append(header, "Values");
        const lines = [header], widths = [];
        for (let index = 0; index < min(grid.length, 1000); index++) {
            const name = grid[index][0], row = grid[index][1], line = [name];
            for (let at = 0; at < columns.length; at++) {
                const slot = isObject(row) ? getOwnPropertyDescriptor(row, columns[at]) : undefined;
                append(line, slot === undefined ? "" : cell(row[columns[at]]));
            }
            if (hasValues) append(line, isObject(row) ? "" : cell(row));
            append(lines, line);
        }
        for (let at = 0; at < header.length; at++) {
            let width = 0;
            for (let index = 0; index < lines.length; index++) width = max(width, lines[index][at].length);
            append(widths, width);
        }
        const rule = (left, middle, right) => {
            const parts = [];
            for (let at = 0; at < widths.length; at++) append(parts, repeat("─", widths[at] + 2));
            return left + arrayJoin(parts, middle) + right;
        };
        let drawing = rule("┌", "┬", "┐");
        for (let index = 0; index < lines.length; index++) {
            let line = "";
            for (let at = 0; at < widths.length; at++) {
                const value = lines[index][at];
                line += `│ ${value}${repeat(" ", widths[at] - value.length)} `;
            }
            drawing += `\n${line}│`;
            if (index === 0) drawing += `\n${rule("├", "┼", "┤")}`;
        }
        return `${drawing}\n${rule("└", "┴", "┘")}`;
    };

    const console = {
        debug(...list) { say(levels.debug, format(list)); },
        log(...list) { say(levels.log, format(list)); },
        info(...list) { say(levels.info, format(list)); },
        warn(...list) { say(levels.warn, format(list)); },
        error(...list) { say(levels.error, format(list)); },
        dir(value) { say(levels.log, inspect(value)); },
        trace(...list) {
            const line = format(list), calls = trace(frames(new $Error()));
            say(levels.error, `Trace${line === "" ? "" : `: ${line}`}\n${calls}`);
        },
        assert(condition, ...list) {
            if (condition) return;
            const line = format(list);
            say(levels.error, `Assertion failed${line === "" ? "" : `: ${line}`}`);
        },
        count(name) {
            const key = label(name), number = (mapGet(counters, key) ?? 0) + 1;
            mapSet(counters, key, number);
            say(levels.log, `${key}: ${number}`);
        },
        countReset(name) { mapDelete(counters, label(name)); },
        time(name) { mapSet(timers, label(name), host.now()); },
        timeLog(name, ...list) {
            const line = elapsed(label(name));
            if (line !== null) say(levels.log, list.length === 0 ? line : `${line} ${format(list)}`);
        },
        timeEnd(name) {
            const line = elapsed(label(name));
            if (line !== null) say(levels.log, line);
            mapDelete(timers, label(name));
        },
        group(...list) {
            if (list.length > 0) say(levels.log, format(list));
            if (indent.length < 40) indent += "  ";
        },
        groupEnd() { indent = slice(indent, 2); },
        table(data) { say(levels.log, isObject(data) ? table(data) : inspect(data)); },
    };
    console.groupCollapsed = console.group;
    console.dirxml = console.dir;
    // What was sent to the host stays.
    console.clear = function clear() { indent = ""; };
    define("console", console);
}
