// Shows the words of sections while they are written: rendered where a place names the address that does that, the last
// ones elsewhere.
const TAIL = 120;
const RENDER_EVERY_MS = 1000;
const texts = new Map();
// Roughly, in Latin script: how many characters a token has.
const TOKEN = 4;
const begun = new Map();
const speeds = new Map();

function show(place) {
  if (place.dataset.rendered) render(place);
  else place.textContent = (texts.get(place.dataset.writing) ?? "").slice(place.classList.contains("tail") ? -TAIL : 0);
}

// As the server shows a text that is done: one at a time for each place, the newest words last, and less often what takes
// long. What is refused is shown as it is, and not asked again.
const rendering = new WeakMap();

async function render(place) {
  const text = texts.get(place.dataset.writing);
  if (text === undefined || rendering.get(place) !== undefined) return;
  rendering.set(place, text);
  const headers = { "Content-Type": "text/markdown" };
  const since = Date.now();
  const answer = await fetch(place.dataset.rendered, { method: "POST", body: text, headers }).catch(() => null);
  const isAway = !answer || answer.status === 429 || answer.status >= 500;
  if (answer?.ok) place.innerHTML = await answer.text();
  else if (!isAway) place.textContent = text;
  const again = () => {
    rendering.delete(place);
    if (place.isConnected && (isAway || texts.get(place.dataset.writing) !== text)) render(place);
  };
  setTimeout(again, Math.max(RENDER_EVERY_MS, 4 * (Date.now() - since)));
}

function all() {
  document.querySelectorAll("[data-writing]").forEach(show);
}

document.getElementById("stream").addEventListener("words", ({ detail }) => {
  const { section_id, at, text } = JSON.parse(detail.data);
  texts.set(section_id, (texts.get(section_id) ?? "").slice(0, at) + text);
  if (at === 0 || !begun.has(section_id)) begun.set(section_id, [Date.now(), at + text.length]);
  const [since, from] = begun.get(section_id);
  const seconds = (Date.now() - since) / 1000;
  if (seconds >= 1) speeds.set(section_id, Math.round((at + text.length - from) / TOKEN / seconds));
  all();
});
for (const name of ["renewed", "loaded"]) document.addEventListener(name, all);

function tick() {
  document.querySelectorAll("[data-elapsed]").forEach((place) => {
    const seconds = Math.max(0, (Date.now() - Date.parse(place.dateTime)) / 1000);
    place.textContent = seconds < 100 ? `${Math.floor(seconds)} s` : `${Math.round(seconds / 60)} min`;
  });
  document.querySelectorAll("[data-speed]").forEach((place) => {
    const speed = speeds.get(place.dataset.speed);
    place.textContent = speed ? `≈ ${speed} tokens/s` : "";
  });
}

setInterval(tick, 1000);
document.addEventListener("renewed", tick);
