// Completes the global object, and returns the dispatcher by which the process calls JavaScript.
define("close", function close(code = 0) {
    const number = +code;
    lastingArea.flush();
    host.close(isInteger(number) && number >= 0 && number <= 255 ? number : 1);
});

return function dispatch(event, first, second, third, fourth) {
    if (turnEnd !== null) endTurn();
    switch (event) {
    case "timer": return fireTimer(first);
    case "time": return followHost(first);
    case "thrown": return reportUncaught(first, "", second);
    case "begin": return beginRun();
    case "provide": return provisions[first]();
    case "rejection handler": return reportRejection;
    case "page": case "step": case "loaded": case "view": case "markup": return pages[event](first);
    case "script": case "module": return loads[event](first, second, third);
    default: return answers[event](first, second, third, fourth);
    }
};
