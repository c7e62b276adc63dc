// What the tests share: a server in the published form that has no network, positions in metres, and clicks.

import { setTransport } from "./server.js";

/** The address of the server. */
export const API = "http://localhost:8095/api";

export const PROVIDER = {
  Name: "Town", APIUrl: `${API}/`, ImgUrl: "", TextColor: "#FFFFFF", PrimaryColor: "#00665F", SecondaryColor: "#DB813C",
};

/**
 * A server with users, rates and reports. It keeps of a report what the published model has, encrypts nothing, and
 * answers with the published statuses and codes.
 */
export class TestServer {
  users = [{
    name: "abc", password: "secret", guid: "6f9619ff-8b86-d011-b42d-00c04fc964ff", profile: 7, isActive: true,
    placements: [{ Id: 3, EmploymentPosition: "Nurse", ManNr: "1" }, { Id: 4, EmploymentPosition: "Teacher", ManNr: "2" }],
  }];
  rates = [{ Id: 1, Description: "High rate", Year: "2026" }, { Id: 2, Description: "Low rate", Year: "2026" }];
  list = [PROVIDER];
  reports = [];
  /** The calls as "METHOD path". */
  calls = [];
  /** The bodies that were received, by call. */
  bodies = [];
  /** An answer in place of the usual ones: `(path) => [status, body]`; an error is thrown as one of the network. */
  fault = () => undefined;

  /** Makes it the server of all calls. */
  install() {
    setTransport((address, init) => this.#call(address, init));
    return this;
  }

  async #call(address, { method = "GET", body } = {}) {
    const path = new URL(address).pathname.replace(/^\/api/, "");
    this.calls.push(`${method} ${path}`);
    this.bodies.push(body === undefined ? undefined : JSON.parse(body));
    const fault = this.fault(path);
    if (fault instanceof Error) throw fault;
    const [status, value] = fault ?? this.#answer(`${method} ${path}`, this.bodies.at(-1));
    return new Response(value === undefined ? "" : JSON.stringify(value), { status });
  }

  #answer(call, body) {
    const refused = (status, ErrorCode, ErrorMessage) => [status, { ErrorCode, ErrorMessage }];
    const user = (guid) => this.users.find((one) => one.guid === guid);
    switch (call) {
      case "GET /appinfo": return [200, this.list];
      case "POST /auth": {
        const found = this.users.find(({ name, password, isActive }) => isActive && name === body.UserName && password === body.Password);
        return found ? [200, this.#info(found)] : refused(401, 680, "Username or password is incorrect");
      }
      case "POST /userinfo": {
        const found = user(body.GuId);
        return found?.isActive ? [200, this.#info(found)] : refused(401, 610, "Invalid authorization");
      }
      case "POST /report": {
        const found = user(body.Authorization.GuId), report = body.DriveReport;
        if (!found?.isActive) return refused(401, 610, "Invalid authorization");
        if (found.profile !== report.ProfileId) return refused(401, 670, "User and drive report user do not match");
        if (this.reports.some(({ Uuid }) => Uuid === report.Uuid)) return refused(200, 690, "Report rejected, duplicate found");
        if (typeof report.route.GPSCoordinates[0]?.Latitude === "number") return refused(400, 640, "Could not save drivereport");
        this.reports.push(report);
        return [200];
      }
      default: return [404];
    }
  }

  #info({ guid, profile, placements }) {
    return {
      profile: {
        Id: profile, Firstname: "Ada", Lastname: "Byron", HomeLatitude: "56.1", HomeLongitude: "10.2",
        Authorization: { GuId: guid }, Employments: placements,
      },
      rates: this.rates,
    };
  }
}

/** An error of the network, as the SDK reports it. */
export function unreachable() {
  const error = new DOMException("http://localhost:8095 cannot be reached.", "NetworkError");
  Object.defineProperty(error, "problem", { value: "unreachable" });
  return error;
}

export const byId = (id) => document.getElementById(id);
export const text = (id) => byId(id).textContent;

/** Lets what was begun end. */
export const settle = () => clock.advance("20ms");

export async function click(target) {
  const element = typeof target === "string" ? byId(target) : target;
  assert.ok(element && !element.closest("[hidden]"), `no visible button ${target}`);
  element.click();
  await settle();
}

/** Answers the question that is shown. */
export const answer = (value) => click(document.querySelector(`[data-answer="${value}"]`));

export async function submit(id) {
  byId(id).dispatchEvent(new Event("submit", { cancelable: true }));
  await settle();
}

export async function change(id, value) {
  if (typeof value === "boolean") byId(id).checked = value;
  else byId(id).value = value;
  byId(id).dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
}

/** Starts the app and logs in. */
export async function begin({ user = "abc", password = "secret", server = new TestServer() } = {}) {
  server.install();
  await app.start();
  await settle();
  byId("list-address").value = `${API}/appinfo`;
  await submit("list-form");
  await click(document.querySelector('[data-provider="Town"]'));
  byId("user").value = user;
  byId("password").value = password;
  await submit("login-form");
  return server;
}

/** Fills in what a trip needs, and starts it. */
export async function record(purpose = "Visit") {
  byId("purpose").value = purpose;
  byId("placement").value = "3";
  byId("rate").value = "1";
  await click("start");
}

const LATITUDE = 56, LONGITUDE = 10, A = 6_378_137, E2 = 0.00669437999014;
const RADIANS = Math.PI / 180;

/** A position so many metres north of a place, on the ellipsoid WGS 84; exact to a millimetre for some 100 m. */
export function north(metres) {
  const w = 1 - E2 * Math.sin((LATITUDE + metres / 222_000) * RADIANS) ** 2;
  return { latitude: LATITUDE + metres / ((A * (1 - E2)) / w ** 1.5) / RADIANS, longitude: LONGITUDE };
}

/** A position, at once and then each second. */
export const put = (metres, accuracy = 5) => sensors.set("location", { ...north(metres), accuracy });

/** Positions one after the other within the second, so that each is one fix: `[metres, accuracy]`. */
export async function fixes(...list) {
  // The sensor repeats its values at whole seconds.
  await clock.advance(1000 - (clock.now() % 1000) + 10);
  for (const [metres, accuracy] of list) {
    await put(metres, accuracy);
    await clock.advance(10);
  }
}

/** The latitudes of the points of the last session, as metres from the place; and its warnings. */
export async function recorded() {
  const [session] = await nervous.sessions.list();
  const { features, warnings, distance, distanceSource } = await nervous.sessions.route(session.id);
  const [feature] = features, lines = feature === undefined ? [] : feature.geometry.type === "LineString"
    ? [feature.geometry.coordinates] : feature.geometry.coordinates;
  const metres = lines.flat().map(([, latitude]) => Math.round((latitude - LATITUDE) / (north(1).latitude - LATITUDE)));
  return { metres, warnings, distance, distanceSource, via: (feature?.properties.via ?? []).flat(), state: session.state };
}
