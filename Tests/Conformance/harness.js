// Reports the results of a test file on the console, in lines that results.py reads. Suites call it when their
// own harness has ended. `failures` is a list of [name, message]. In Chromium `conformanceEnded` sends the lines to
// reference.py.
globalThis.reportConformance = (passed, failures) => {
    const word = (text) => encodeURIComponent(String(text).toWellFormed().slice(0, 1000)) || "-";
    const failed = failures.map(([name, message]) => `FAILED ${word(name)} ${word(message ?? "")}`);
    const lines = [`RESULT ${passed}`, ...failed, "END"];
    for (const line of lines) console.log(line);
    globalThis.conformanceEnded?.(lines);
};

// Older files use this name for what are now three functions.
globalThis.assert_throws ??= (expected, body, description) => {
    if (typeof expected === "string") assert_throws_dom(expected, body, description);
    else if (/Error$/.test(expected?.name) && typeof globalThis[expected.name] === "function") assert_throws_js(globalThis[expected.name], body, description);
    else assert_throws_exactly(expected, body, description);
};
