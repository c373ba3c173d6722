// Keeps a page as it is now: what changed is renewed in place, and it says when it cannot be.
const stream = document.getElementById("stream");
const main = () => document.getElementById("main");
const note = (name, shown) => (document.querySelector(`[data-${name}]`).hidden = !shown);
const pause = (milliseconds) => new Promise((over) => setTimeout(over, milliseconds));
const AT_LEAST_MS = 150;
const AGAIN_MS = 2000;
const AT_MOST_MS = 2000;
const PATIENCE_MS = 10_000; // an answer that a part of Stemma went away under may never come
const SHARE = 3; // of its time, in which a page is not renewed
let wanted = false;
let renewing = false;
let took = 0;

async function renew() {
  wanted = true;
  if (renewing) return;
  renewing = true;
  try {
    while (wanted) await renewOnce();
  } finally {
    renewing = false;
  }
}

async function renewOnce() {
  await pause(Math.max(AT_LEAST_MS, Math.min(AT_MOST_MS, SHARE * took)));
  wanted = false;
  const begun = performance.now();
  const page = await fetched();
  if (page && isAnother(page)) note("changed", true);
  else if (page) await put(page);
  took = performance.now() - begun;
}

async function answered() {
  const headers = { Accept: "text/html", "HX-Request": "true" };
  const answer = await fetch(location.href, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  return [answer.status, answer.ok ? await answer.text() : ""];
}

async function fetched() {
  const [status, text] = await answered().catch(() => [0, ""]);
  if (status === 0 || status === 429 || status >= 500) setTimeout(renew, AGAIN_MS);
  else if (status === 401) note("ended", true);
  else if (status >= 400) note("changed", true);
  return text.includes('<main id="main"') ? text : null;
}

// A decision is about what was seen: under one that can be made now nothing else is put, and no word that was typed goes.
function isAnother(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const differs = ({ id, dataset }) => !(page.getElementById(id)?.dataset.shows ?? "").startsWith(dataset.shows);
  const lost = (each) => each.id && each.value !== each.defaultValue && !each.closest("[data-later]") && !page.getElementById(each.id);
  const typed = [...main().querySelectorAll("textarea")];
  const held = document.querySelector("[data-held]"); // by what loads later
  return held || [...document.querySelectorAll("[data-shows][data-decides]")].some(differs) || typed.some(lost);
}

async function put(page) {
  note("changed", false);
  document.dispatchEvent(new Event("renewing"));
  await htmx.swap({ text: page, target: "#main", select: "#main", swap: "outerMorph", sourceElement: main() });
  document.dispatchEvent(new Event("renewed"));
}

async function showNow() {
  const page = "renewed" in main().dataset && (await fetched());
  if (page) await put(page);
}

const last = Number(localStorage.getItem(main().dataset.seen ?? "") ?? main().dataset.version ?? 0);

function sinceLast() {
  const { seen, version } = main().dataset;
  if (!seen || !Number(version)) return;
  const link = document.querySelector("[data-since]");
  if (last && last < Number(version)) {
    link.href = `${location.pathname}?old=${last}`;
    link.hidden = false;
  }
  localStorage.setItem(seen, version);
}

// The page that a refusal comes with has the words of the form, also where that form is no more. One that tells what
// would follow is gone to where it tells it.
document.addEventListener("refused", async ({ detail }) => {
  if (!detail.includes('<main id="main"')) return;
  await put(detail);
  main().querySelector(".note[role=alert]")?.remove(); // the same is told above, where it is in view
  const plan = document.getElementById("plan");
  plan?.focus({ preventScroll: true });
  plan?.scrollIntoView();
});

function lost(status) {
  note("ended", status === 401);
  note("lost", status !== 401);
}

sinceLast();
document.addEventListener("renewed", sinceLast);
if (stream && !("still" in main().dataset)) {
  stream.addEventListener("changed", () => ("renewed" in main().dataset ? renew() : note("changed", true)));
  document.querySelector("[data-changed] a").addEventListener("click", async (event) => {
    if (!("renewed" in main().dataset)) return;
    event.preventDefault();
    await showNow();
  });
}
let editors = [];

function showEditors() {
  const place = document.querySelector("[data-editors]");
  if (!place) return;
  place.hidden = !editors.length;
  place.querySelector("bdi").textContent = editors.join(", ");
}

document.addEventListener("renewed", showEditors);
if (stream) {
  stream.addEventListener("editors", ({ detail }) => {
    editors = JSON.parse(detail.data);
    showEditors();
  });
  stream.addEventListener("htmx:sse:after:connection", () => note("lost", false));
  stream.addEventListener("htmx:sse:error", ({ detail }) => lost(detail.status));
  for (const failed of ["htmx:error", "htmx:response:error"]) {
    stream.addEventListener(failed, async ({ detail }) => {
      const status = detail.ctx?.response?.status;
      lost(status);
      await pause(AGAIN_MS);
      if (status !== 401) htmx.trigger(stream, "again");
    });
  }
}
