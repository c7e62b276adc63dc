// Reports the results of a test file on the console, in lines that results.py reads. Suites call it when their
// own harness has ended. `failures` is a list of [name, message].
globalThis.reportConformance = (passed, failures) => {
    const word = (text) => encodeURIComponent(String(text).toWellFormed().slice(0, 1000)) || "-";
    console.log(`RESULT ${passed}`);
    for (const [name, message] of failures) console.log(`FAILED ${word(name)} ${word(message ?? "")}`);
    console.log("END");
};
