// The user of a provider, from the published `UserInfo`: its opaque id (`GuId`), which reports carry instead of
// a name or a password, the placements, and the rates. What the app does not need, such as the position of the
// home, is not taken over.

const whole = (value) => Number.isInteger(value) && value >= 0;

/**
 * The login and the placements.
 *
 * @returns {{ guid: string, profile: number, name: string, placements: { id: number, title: string }[] }}
 * @throws {TypeError} if something is missing
 */
export function peopleOf(info) {
  const profile = info?.profile;
  const guid = profile?.Authorization?.GuId;
  if (typeof guid !== "string" || guid === "") throw new TypeError("The server's answer has no id of the user.");
  if (!whole(profile.Id)) throw new TypeError("The server's answer has no profile.");
  const placements = list(profile.Employments, "placements").map(({ Id, EmploymentPosition, ManNr }) => ({
    id: Id, title: title(EmploymentPosition, ManNr),
  }));
  const name = [profile.Firstname, profile.Lastname].filter((part) => typeof part === "string" && part !== "").join(" ");
  return { guid, profile: profile.Id, name, placements };
}

const title = (position, number) => [position, number].filter((part) => part !== undefined && part !== "").join(", ") || "–";

/**
 * The rates.
 *
 * @returns {{ id: number, title: string }[]}
 * @throws {TypeError} if there are none
 */
export function ratesOf(info) {
  return list(info?.rates, "rates").map(({ Id, Description, Year }) => ({
    id: Id, title: Year ? `${Description} (${Year})` : `${Description}`,
  }));
}

function list(value, what) {
  if (!Array.isArray(value) || value.some((entry) => !whole(entry?.Id))) {
    throw new TypeError(`The server's answer has no ${what}.`);
  }
  return value;
}
