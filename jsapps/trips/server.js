// The published calls: `GET appinfo`, `POST auth`, `POST userinfo` and `POST report`, each below the address of
// a provider. They go through the host, to origins that the manifest declares.

let transport = (url, init) => nervous.net.fetch(url, init);

/** Replaces the transport: tests have no network. */
export function setTransport(replacement) {
  transport = replacement;
}

/** A call that was not accepted. `kind` says what to do about it. */
export class ServerError extends Error {
  /**
   * @param kind `later`: try again, the server or the network fails; `login`: the server does not know the
   *   user (any more); `refused`: it does not accept this, and never will; `blocked`: the owner has to allow it
   */
  constructor(kind, message, fix) {
    super(message);
    this.name = "ServerError";
    this.kind = kind;
    this.fix = fix;
  }
}

/** The published code of a report that belongs to another user; its status is 401, as of an unknown user. */
const OTHER_USER = 670;

/**
 * What an answer means, from its status and its published error code: undefined if the call was accepted.
 *
 * A report that the server already has is answered with 200 and the code 690: it is accepted.
 */
export function kindOf(status, code) {
  if (status >= 200 && status < 300) return undefined;
  if (status === 401) return code === OTHER_USER ? "refused" : "login";
  // A request that took too long, and one of too many, are not the fault of what was sent.
  if (status >= 500 || status === 408 || status === 429) return "later";
  return "refused";
}

async function post(address, value) {
  return answer(address, {
    method: "POST", body: JSON.stringify(value), headers: { "Content-Type": "application/json", Accept: "application/json" },
  });
}

async function answer(address, init) {
  let status, text;
  try {
    const response = await transport(address, init);
    status = response.status;
    text = await response.text();
  } catch (error) {
    if (error.name === "NotAllowedError") throw new ServerError("blocked", error.message, error.fix);
    throw new ServerError("later", error.message, error.fix);
  }
  const value = parsed(text), kind = kindOf(status, value?.ErrorCode);
  if (kind === undefined) return value;
  const said = typeof value?.ErrorMessage === "string" ? value.ErrorMessage.trim().slice(0, 200) : "";
  throw new ServerError(kind, `The server answered ${status}${said === "" ? "." : `: ${said.replace(/\.$/, "")}.`}`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The list of providers at an address, unchecked. */
export const providers = (address) => answer(address, { headers: { Accept: "application/json" } });

/** Logs in; resolves to the published `UserInfo`, unchecked. */
export const login = (api, user, password) => post(`${api}/auth`, { UserName: user, Password: password });

/** Validates the user again; resolves to the published `UserInfo`, unchecked. */
export const userInfo = (api, guid) => post(`${api}/userinfo`, { GuId: guid });

/** Sends a report in its published form; resolves when the server has it. */
export const sendReport = (api, report) => post(`${api}/report`, report);
