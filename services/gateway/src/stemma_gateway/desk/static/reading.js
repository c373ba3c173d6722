// Which section is read now, whose keys are the page's; and the sections that come later, the nearest first.
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
  const waiting = [...document.querySelectorAll("[data-later]")].filter((each) => loaded.get(each) !== each.dataset.later);
  return waiting.sort((one, other) => away(one) - away(other))[0];
}

let loading = false;

async function loadAll() {
  if (loading) return;
  loading = true;
  for (let part = next(); part; part = next()) {
    loaded.set(part, part.dataset.later);
    const answer = await fetch(part.dataset.later, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer?.ok) continue; // its link stays
    await htmx.swap({ text: await answer.text(), target: part, swap: "innerMorph", sourceElement: part });
    document.dispatchEvent(new Event("loaded"));
  }
  loading = false;
}

function show() {
  follow();
  loadAll();
}

show();
document.addEventListener("renewed", show);
for (const name of ["scroll", "focusin", "resize"]) addEventListener(name, follow, { passive: true });
