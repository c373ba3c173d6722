// Two versions of a section by CodeMirror's merge view, side by side or in one text; what can be decided stays in the list.
const place = () => document.querySelector("[data-compare]");
const ready = new WeakSet();
let shown;

async function text(version) {
  const answer = await fetch(`${place().dataset.compare}/versions/${version}/text`).catch(() => null);
  return answer?.ok ? answer.text() : null;
}

async function show(mode) {
  shown?.destroy();
  shown = undefined;
  const { old, new: now, editor, look, language } = place().dataset;
  const host = place().querySelector("[data-shown]");
  const list = place().parentElement.querySelector(".changes");
  const [before, after] = mode ? await Promise.all([text(old), text(now)]) : [];
  if (place().querySelector("select").value !== mode) return;
  const unread = before === null || after === null;
  place().querySelector("[data-unread]").hidden = !unread;
  host.hidden = !mode || unread;
  if (list) list.hidden = !host.hidden && !list.querySelector("input");
  if (host.hidden) return;
  const [cm, { looks }] = await Promise.all([import(editor), import(look)]);
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.replaceChildren();
  const still = (version) => [
    looks(cm),
    cm.EditorState.readOnly.of(true),
    cm.EditorView.contentAttributes.of({ "aria-label": String(version), lang: language, tabindex: "0" }),
  ];
  const collapse = { margin: 3, minSize: 6 };
  if (mode === "split") {
    const [a, b] = [{ doc: before, extensions: still(old) }, { doc: after, extensions: still(now) }];
    shown = new cm.MergeView({ a, b, parent: root, root, collapseUnchanged: collapse });
  } else {
    const within = cm.unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: collapse });
    shown = new cm.EditorView({ state: cm.EditorState.create({ doc: after, extensions: [still(now), within] }), parent: root, root });
  }
}

function start() {
  const select = place()?.querySelector("select");
  if (!select) return;
  select.closest("p").hidden = false;
  if (ready.has(select)) return;
  ready.add(select);
  select.addEventListener("change", () => {
    localStorage.setItem("compared", select.value);
    show(select.value);
  });
  select.value = localStorage.getItem("compared") ?? "";
  if (select.value) show(select.value);
}

start();
document.addEventListener("renewed", start);
