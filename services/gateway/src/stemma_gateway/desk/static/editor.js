// The editor of a section: CodeMirror over the text field of the form, which works without it, with tools, differences, a
// preview beside it, images by drop and paste, a draft that survives a closed tab, and word of a version that came meanwhile.
const form = document.querySelector("form.editing");
const { editor, look, preview, pictures, section, language } = form.dataset;
const words = JSON.parse(form.dataset.words);
const field = form.elements.text;
const shown = form.querySelector("[data-rendered]");
const say = (text) => (form.querySelector("[data-said]").textContent = text);
const key = `draft ${form.dataset.draft}`;
const opened = { text: field.value, version: form.elements.version.value };

// Its styles are in the tree of the shadow, where they need no style element: the policy of the page allows none.
const host = document.createElement("div");
host.className = "editor";
const [cm, { looks }] = await Promise.all([import(editor), import(look)]);
const root = host.attachShadow({ mode: "open" });
const inline = new cm.Compartment();
let view, merged;
field.before(host);
field.hidden = true;
field.required = false;
field.labels[0].addEventListener("click", () => view.focus());

function extensions() {
  return [
    cm.history(),
    cm.drawSelection(),
    cm.EditorView.contentAttributes.of({ "aria-label": words.label, lang: language, spellcheck: "true", tabindex: "0" }),
    cm.keymap.of([
      { key: "Mod-s", run: () => (form.requestSubmit(form.querySelector("button.first")), true) },
      { key: "Mod-b", run: () => (marked("**"), true) },
      { key: "Mod-i", run: () => (marked("*"), true) },
    ]),
    cm.keymap.of([...cm.defaultKeymap, ...cm.historyKeymap]),
    cm.EditorState.phrases.of({ Accept: words.accept, Reject: words.undo }),
    looks(cm),
    inline.of([]),
    cm.EditorView.updateListener.of((update) => update.docChanged && changed()),
    cm.EditorView.domEventHandlers({
      beforeinput: typedOver,
      scroll: follow,
      drop: (event, at) => taken(event, event.dataTransfer, at.posAtCoords({ x: event.clientX, y: event.clientY })),
      paste: (event) => taken(event, event.clipboardData, null),
    }),
  ];
}

// As text, or with what differs from the version that it is made of, or from one that came meanwhile: within the text, or
// with both side by side.
async function arrange(mode, version = form.elements.version.value) {
  const doc = view ? view.state.doc.toString() : field.value;
  const base = mode && (await fetch(`${section}/versions/${version}/text`).catch(() => null));
  if (mode && !base?.ok) return say(words.no_base);
  const original = mode ? await base.text() : "";
  if (mode !== "split" && view && !merged) return view.dispatch({ effects: inline.reconfigure(mode ? within(original) : []) });
  (merged ?? view)?.destroy();
  merged = mode === "split" ? beside(original, doc) : undefined;
  view = merged?.b ?? new cm.EditorView({ state: cm.EditorState.create({ doc, extensions: extensions() }), parent: root, root });
  if (mode === "inline") view.dispatch({ effects: inline.reconfigure(within(original)) });
}

const within = (original) => cm.unifiedMergeView({ original, mergeControls: true });

function beside(original, doc) {
  const still = [cm.EditorState.readOnly.of(true), cm.EditorView.contentAttributes.of({ "aria-label": words.base, lang: language, tabindex: "0" })];
  const a = { doc: original, extensions: [looks(cm), still] };
  const made = new cm.MergeView({ a, b: { doc, extensions: extensions() }, parent: root, root, revertControls: "a-to-b" });
  made.dom.style.height = "100%";
  made.dom.addEventListener("scroll", follow);
  return made;
}

await arrange("");

// A browser that replaces marked text itself keeps its looks in a style attribute, which the policy forbids.
function typedOver(event, at) {
  if (event.inputType !== "insertText" || !event.data || at.composing || at.state.selection.main.empty) return false;
  event.preventDefault();
  at.dispatch(at.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

// The draft, in this browser alone.

const read = () => JSON.parse(localStorage.getItem(key) ?? "null");
const refs = () => [...form.querySelectorAll("input[name=image]")].map((each) => each.value);

function keep(more = {}) {
  if (field.value === opened.text && !form.hasAttribute("data-typed")) return localStorage.removeItem(key);
  const draft = { text: field.value, version: form.elements.version.value, images: refs(), ...more };
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    say(words.not_kept);
  }
}

function restore() {
  const draft = read();
  if (form.hasAttribute("data-typed") || !draft || draft.text === opened.text) return keep();
  draft.images.filter((each) => !refs().includes(each)).forEach(addRef);
  form.elements.version.value = draft.version;
  put(draft.text);
  form.querySelector("[data-draft-note]").hidden = false;
  if (draft.version !== opened.version) form.querySelector("[data-newer]").hidden = false;
}

addEventListener("storage", (event) => event.key === key && event.newValue && say(words.other_tab));

const put = (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });

form.querySelector("[data-drop]").addEventListener("click", () => {
  form.elements.version.value = opened.version;
  put(opened.text);
  form.querySelectorAll("[data-draft-note], [data-newer]").forEach((note) => (note.hidden = true));
  view.focus();
});

let sent = false;
form.addEventListener("submit", () => {
  sync();
  sent = true;
  form.elements.draft.value = Date.now().toString(36) + Math.random().toString(36).slice(2, 12);
  keep({ sent: form.elements.draft.value });
});
addEventListener("pagehide", () => sent || (sync(), keep()));

// The preview, as the server would show the text.

let waits, asked;

function changed() {
  clearTimeout(waits);
  waits = setTimeout(() => (sync(), keep(), render()), 250);
}

function sync() {
  field.value = view.state.doc.toString();
}

async function render() {
  asked?.abort();
  asked = new AbortController();
  const headers = { "Content-Type": "text/markdown" };
  const answer = await fetch(preview, { method: "POST", body: field.value, headers, signal: asked.signal }).catch(() => null);
  if (!answer?.ok) return;
  shown.innerHTML = await answer.text();
  follow();
}

// It shows the block that is at the upper end of the text.
function follow() {
  const scroller = merged?.dom ?? view.scrollDOM;
  const at = view.lineBlockAtHeight(scroller.getBoundingClientRect().top - view.documentTop + 4);
  const line = view.state.doc.lineAt(at.from).number;
  const blocks = [...shown.querySelectorAll("[data-line]")];
  const block = blocks.findLast((each) => Number(each.dataset.line) <= line) ?? blocks[0];
  if (block) shown.scrollTop += block.getBoundingClientRect().top - shown.getBoundingClientRect().top - 8;
}

// The tools: what they put around or before the selected words they also take away.

const tools = form.querySelector("[data-tools]");
tools.hidden = false;
tools.addEventListener("click", ({ target }) => {
  const { around, before, table } = target.closest("button")?.dataset ?? {};
  if (around !== undefined) marked(around);
  else if (before !== undefined) begun(before);
  else if (table !== undefined) addTable(table);
  else if (target.closest("[data-link]")) marked("[", "](https://)");
});
tools.querySelector("select").addEventListener("change", ({ target }) => arrange(target.value));

function marked(before, after = before) {
  const { from, to } = view.state.selection.main;
  const { doc } = view.state;
  const is = doc.sliceString(from - before.length, from) === before && doc.sliceString(to, to + after.length) === after;
  const changes = is
    ? [{ from: from - before.length, to: from }, { from: to, to: to + after.length }]
    : [{ from, insert: before }, { from: to, insert: after }];
  const moved = is ? -before.length : before.length;
  view.dispatch({ changes, selection: { anchor: from + moved, head: to + moved }, userEvent: "input" });
  view.focus();
}

function begun(mark) {
  const { doc, selection } = view.state;
  const [first, last] = [doc.lineAt(selection.main.from).number, doc.lineAt(selection.main.to).number];
  const lines = Array.from({ length: last - first + 1 }, (_, number) => doc.line(first + number));
  const marks = lines.map((_, number) => mark.replace("1", String(number + 1)));
  const is = lines.every(({ text }, number) => text.startsWith(marks[number]));
  const changes = lines.map(({ from }, number) =>
    is ? { from, to: from + marks[number].length } : { from, insert: marks[number] },
  );
  view.dispatch({ changes, userEvent: "input" });
  view.focus();
}

// A table after the line of the cursor; within a table one more row.
function addTable(heading) {
  const { doc, selection } = view.state;
  let line = doc.lineAt(selection.main.head);
  const below = line.number < doc.lines && doc.line(line.number + 1);
  if (below && /^\s*\|\s*:?-/.test(below.text)) line = below;
  const cells = line.text.trim().startsWith("|") ? line.text.trim().slice(1, -1).split("|").length : 0;
  const row = (count, cell) => `|${` ${cell} |`.repeat(count)}`;
  const insert = cells ? `\n${row(cells, " ")}` : `\n\n${[row(2, heading), row(2, "---"), row(2, " ")].join("\n")}\n`;
  const anchor = line.to + (cells ? 3 : insert.indexOf(heading));
  view.dispatch({ changes: { from: line.to, insert }, selection: { anchor, head: cells ? anchor : anchor + heading.length }, userEvent: "input" });
  view.focus();
}

// Images: each is uploaded as it comes, and stands in the text where it was dropped.

function taken(event, given, place) {
  const files = [...(given?.files ?? [])];
  if (!files.length) return false;
  event.preventDefault();
  add(files, place ?? view.state.selection.main.head);
  return true;
}

async function add(files, place) {
  for (const file of files) {
    say(words.uploading + file.name);
    const body = new FormData();
    body.append("picture", file);
    const answer = await fetch(pictures, { method: "POST", body }).catch(() => null);
    const told = await answer?.json().catch(() => null);
    if (!answer?.ok) return say(words.not_uploaded + (told?.detail ?? file.name));
    addRef(told.upload);
    const insert = `\n\n${told.markup}\n\n`;
    view.dispatch({ changes: { from: Math.min(place, view.state.doc.length), insert } });
    place += insert.length;
    say("");
  }
}

function addRef(value) {
  const input = Object.assign(document.createElement("input"), { type: "hidden", name: "image", value });
  form.append(input);
}

form.elements.picture.addEventListener("change", (event) => {
  const files = [...event.target.files];
  event.target.value = "";
  add(files, view.state.selection.main.head);
});

// What came meanwhile.

for (const button of document.querySelectorAll("[data-take]")) {
  const { ours, theirs } = button.dataset;
  button.hidden = !ours.trim();
  button.addEventListener("click", () => {
    const [before, ...after] = view.state.doc.toString().split(ours);
    if (after.length !== 1) return say(words.cannot_take);
    view.dispatch({ changes: { from: before.length, to: before.length + ours.length, insert: theirs } });
    button.disabled = true;
    button.textContent = words.taken;
  });
}

let told;
let newest = 0;

form.querySelector("[data-against]").addEventListener("click", async () => {
  if (!newest) await tellNewer();
  tools.querySelector("select").value = "split";
  await arrange("split", newest);
  view.focus();
});

document.getElementById("stream").addEventListener("changed", () => {
  clearTimeout(told);
  told = setTimeout(tellNewer, 150);
});

async function tellNewer() {
  const answer = await fetch(section).catch(() => null);
  const versions = answer?.ok ? (await answer.json()).versions : [];
  newest = versions.at(-1)?.number ?? 0;
  if (newest > Number(form.elements.version.value)) form.querySelector("[data-newer]").hidden = false;
}

restore();
