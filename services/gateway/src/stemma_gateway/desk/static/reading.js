// Which section is read now, whose keys are the page's; and the sections that come later, the nearest first.
const AGAIN_MS = 2000;
const PATIENCE_MS = 10_000; // an answer that a part of Stemma went away under may never come
const sections = () => [...document.querySelectorAll(".part")];
const loaded = new WeakMap();

// Of the sections in view, the one that has the middle of the page.
function current() {
  const middle = innerHeight / 2;
  const focused = document.activeElement?.closest(".part");
  const isSeen = (each) => each.getBoundingClientRect().bottom > 0 && each.getBoundingClientRect().top < innerHeight;
  if (focused && isSeen(focused)) return focused;
  return sections().findLast((each) => each.getBoundingClientRect().top <= middle) ?? sections()[0];
}

function follow() {
  const now = current();
  for (const each of sections()) each.toggleAttribute("data-current", each === now);
  for (const link of document.querySelectorAll(".outline a[href^='#']")) {
    if (link.hash === `#${now?.id}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

const away = (part) => {
  const { top, bottom } = part.getBoundingClientRect();
  return bottom < 0 ? -bottom : Math.max(0, top - innerHeight);
};

function next() {
  const waiting = [...document.querySelectorAll("[data-later]")].filter((each) => !("held" in each.dataset) && loaded.get(each) !== each.dataset.later);
  return waiting.sort((one, other) => away(one) - away(other))[0];
}

let loading = false;

async function loadAll() {
  if (loading) return;
  loading = true;
  try {
    for (let part = next(); part; part = next()) await load(part);
  } finally {
    loading = false;
  }
}

async function answered(address) {
  const headers = { Accept: "text/html", "HX-Request": "true" };
  const answer = await fetch(address, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  return [answer.status, answer.ok ? await answer.text() : ""];
}

// What is refused leaves its link; what a part of Stemma was away for is asked again.
async function load(part) {
  loaded.set(part, part.dataset.later);
  const [status, text] = await answered(part.dataset.later).catch(() => [0, ""]);
  if (status === 0 || status === 429 || status >= 500) setTimeout(again, AGAIN_MS, part);
  if (!text || !part.isConnected || holds(part, text)) return;
  part.dispatchEvent(new Event("renewing", { bubbles: true }));
  await htmx.swap({ text, target: part, swap: "innerMorph", sourceElement: part });
  part.dispatchEvent(new Event("loaded", { bubbles: true }));
}

function again(part) {
  loaded.delete(part);
  loadAll();
}

// Words that were typed go only if the person shows what is new.
const held = new WeakSet();

function holds(part, text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const lost = (each) => each.id && each.value !== each.defaultValue && !page.getElementById(each.id);
  if (held.delete(part) || ![...part.querySelectorAll("textarea")].some(lost)) return false;
  held.add(part);
  loaded.delete(part);
  part.dataset.held = "";
  document.querySelector("[data-changed]").hidden = false;
  return true;
}

function show() {
  follow();
  loadAll();
}

show();
document.addEventListener("renewed", show);
for (const name of ["scroll", "focusin", "resize"]) addEventListener(name, follow, { passive: true });
