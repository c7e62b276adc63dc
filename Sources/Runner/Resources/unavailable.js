// APIs that browsers have and headless runs lack. Their names stay undefined, so that a library that checks for
// one uses its fallback; the reason is added to an error about a use of one.
const oneThread = "an app runs on one thread";
const notAvailable = {
    __proto__: null,
    Worker: oneThread, SharedWorker: oneThread, SharedArrayBuffer: oneThread, importScripts: oneThread,
    RTCPeerConnection: "calls to servers go through the host, with fetch and WebSocket",
    caches: "use indexedDB, localStorage or nervous.storage",
    AudioContext: "there is no sound", webkitAudioContext: "there is no sound", Audio: "there is no sound",
    Notification: "use nervous.notify",
    WebAssembly: "the engine runs without compiled code",
};

function explained(message) {
    const found = execute(
        /^\w+: (?:Can't find variable: (\w+)$|.*\(evaluating '(?:new )?(?:window|self|globalThis)\.(\w+))/, message);
    const name = found === null ? undefined : found[1] ?? found[2], reason = notAvailable[name];
    if (reason === undefined || name in globalObject) return message;
    return `${message}. A headless run has no ${name}: ${reason}.`;
}
