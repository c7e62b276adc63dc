// Sessions as a file of SQL for SQLite, in the tables of the published app, with foreign keys that hold.

import { GRAVITY } from "./units.js";

const text = (value) => `'${String(value).replaceAll("\0", "").replaceAll("'", "''")}'`;

const SCHEMA = `PRAGMA foreign_keys = ON;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS Client
(
  ID CHAR(36) NOT NULL PRIMARY KEY, At DATETIME, Name VARCHAR(45), Type VARCHAR(30), SystemVersion VARCHAR(30)
);
CREATE TABLE IF NOT EXISTS MSession
(
  ID INTEGER NOT NULL PRIMARY KEY, ClientID CHAR(36) NOT NULL REFERENCES Client(ID),
  At DATETIME, Name VARCHAR(55), Description TEXT, Saved INTEGER
);
CREATE TABLE IF NOT EXISTS Metadata
(
  ID INTEGER NOT NULL PRIMARY KEY, SessionID INTEGER NOT NULL REFERENCES MSession(ID),
  At DATETIME, AccX INTEGER, AccY INTEGER, AccZ INTEGER
);
-- What one unit of AccX, AccY and AccZ is.
CREATE TABLE IF NOT EXISTS Scale
(
  Name VARCHAR(30) NOT NULL PRIMARY KEY, Unit VARCHAR(10) NOT NULL, Factor REAL NOT NULL
);
`;

/** Seconds since 2001, as in a payload, as a date of SQLite with milliseconds. */
const date = (seconds) => text(new Date(Math.round(seconds * 1000) + Date.UTC(2001, 0, 1)).toISOString());

/**
 * A file that makes the tables, if they do not exist, and fills them.
 *
 * @param bodies JSON texts of payloads
 * @param saved whether the server has confirmed them
 */
export function sqlOf(bodies, saved) {
  const lines = [SCHEMA];
  lines.push(...["AccX", "AccY", "AccZ"].map((name) =>
    `INSERT OR IGNORE INTO Scale VALUES (${text(name)}, 'm/s2', ${GRAVITY / 1000});\n`));
  for (const body of bodies) {
    const { client, session, data } = JSON.parse(body);
    lines.push(`INSERT OR IGNORE INTO Client VALUES (${text(client.id)}, ${date(client.at)}, ${text(client.name)}, `
      + `${text(client.type)}, ${text(client.systemVersion)});\n`);
    lines.push(`INSERT INTO MSession VALUES (${session.id}, ${text(session.clientID)}, ${date(session.at)}, `
      + `${text(session.name)}, ${text(session.description)}, ${saved ? 1 : 0});\n`);
    for (const { id, sessionID, at, accX, accY, accZ } of data) {
      lines.push(`INSERT INTO Metadata VALUES (${id}, ${sessionID}, ${date(at)}, ${accX}, ${accY}, ${accZ});\n`);
    }
  }
  lines.push("COMMIT TRANSACTION;\n");
  return lines.join("");
}
