// Follows events as a browser does, and prints each with its id: node follow.mjs URL, with TOKEN in the environment.
import { EventSource } from "eventsource";

const shown = { Authorization: `Bearer ${process.env.TOKEN}` };
const source = new EventSource(process.argv[2], {
  fetch: (address, options) => fetch(address, { ...options, headers: { ...options.headers, ...shown } }),
});
source.onmessage = ({ lastEventId, data }) => console.log(JSON.stringify([Number(lastEventId), JSON.parse(data).name]));
setInterval(() => {}, 60_000); // One that waits to connect again keeps no program alive.
source.onerror = ({ code, message }) => console.error(source.readyState, code, message);
