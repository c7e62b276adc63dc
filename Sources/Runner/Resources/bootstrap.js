// What remains of the global object, and the one function by which the process calls in.
define("self", globalObject);
define("close", function close(code = 0) {
    const number = +code;
    host.close(isInteger(number) && number >= 0 && number <= 255 ? number : 1);
});

return function dispatch(event, ...list) {
    switch (event) {
    case "timer": return fireTimer(list[0]);
    case "thrown": return reportUncaught(list[0], "", list[1]);
    case "rejection handler":
        return (promise, reason) => { reportUncaught(reason, "Unhandled rejection: "); };
    default: return answers[event](list[0], list[1], list[2]);
    }
};
