// Doors and locks, and the climate of each room.

import { notice, byId, fill, stateOf } from "./elements.js";
import { mount } from "./page.js";

mount(nervous).catch((error) => {
  fill(byId("message"), notice(stateOf(error)));
  console.error(error.message);
});
