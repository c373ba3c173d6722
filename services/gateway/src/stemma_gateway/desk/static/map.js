// Draws the list of sections as a graph: dagre lays it out, Panzoom moves and zooms it. On narrow screens it stays a list.
const wide = matchMedia("(min-width: 700px)");
const zoom = document.querySelector("[data-zoom]");
const sheet = () => document.querySelector("[data-sheet]");
const { Graph, Panzoom, layout } = await import(sheet().dataset.library);
const words = (text) => text.split(" ").filter(Boolean);
let drawn = "";
let panzoom;
let size;

function nodes() {
  return [...sheet().querySelectorAll("[data-node]")].map((place) => {
    const { node, upstream, stale } = place.dataset;
    return { place, name: node, upstream: words(upstream), stale: new Set(words(stale)), width: place.offsetWidth, height: place.offsetHeight };
  });
}

function laidOut(all) {
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 56, edgesep: 12, ranker: "longest-path", marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name, width, height } of all) graph.setNode(name, { width, height });
  for (const { name, upstream } of all) for (const each of upstream) graph.setEdge(each, name);
  layout(graph);
  return graph;
}

function path([first, ...points]) {
  const last = points.at(-1);
  const curves = points.slice(0, -1).map((at, number) => {
    const next = points[number + 1];
    const end = next === last ? last : { x: (at.x + next.x) / 2, y: (at.y + next.y) / 2 };
    return `Q${at.x} ${at.y} ${end.x} ${end.y}`;
  });
  return `M${first.x} ${first.y}${curves.join("") || `L${last.x} ${last.y}`}`;
}

function made(name, about, text = "") {
  const one = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(about)) one.setAttribute(key, value);
  one.textContent = text;
  return one;
}

function draw() {
  document.documentElement.classList.toggle("drawn", wide.matches);
  zoom.hidden = !wide.matches;
  if (!wide.matches) return;
  const all = nodes();
  const now = JSON.stringify(all.map(({ name, upstream, stale, height }) => [name, upstream, [...stale], height]));
  if (now === drawn || !all.length) return;
  const graph = laidOut(all);
  for (const { place, name, width, height } of all) {
    const { x, y } = graph.node(name);
    Object.assign(place.style, { left: `${x - width / 2}px`, top: `${y - height / 2}px` });
  }
  const lines = all.flatMap(({ place, name, upstream, stale }) =>
    upstream.flatMap((each) => {
      const { points } = graph.edge(each, name);
      const why = place.querySelector(`[data-why="${CSS.escape(each)}"]`);
      const line = made("path", { d: path(points), class: stale.has(each) ? "stale" : "" });
      const { x, y } = points[Math.floor(points.length / 2)];
      return why ? [line, made("text", { x: x + 8, y }, why.textContent)] : [line];
    }),
  );
  sheet().querySelector("[data-edges]").replaceChildren(...lines);
  size = graph.graph();
  Object.assign(sheet().style, { width: `${size.width}px`, height: `${size.height}px` });
  if (!panzoom) start();
  drawn = now;
}

// Panzoom scales about the middle of the sheet and moves it in units of the scale.
function show(x, y, scale) {
  const { clientWidth, clientHeight } = sheet().parentElement;
  panzoom.zoom(scale);
  panzoom.pan((clientWidth / 2 - size.width / 2) / scale + size.width / 2 - x, (clientHeight / 2 - size.height / 2) / scale + size.height / 2 - y);
}

function fit() {
  const { clientWidth, clientHeight } = sheet().parentElement;
  const scale = Math.max(0.4, Math.min(1, clientWidth / size.width, clientHeight / size.height));
  show(size.width / 2, Math.min(size.height / 2, clientHeight / 2 / scale), scale);
}

function zoomed(by) {
  const { clientWidth, clientHeight } = sheet().parentElement;
  const { x, y } = panzoom.getPan();
  const scale = panzoom.getScale();
  const middle = [(clientWidth / 2 - size.width / 2) / scale + size.width / 2 - x, (clientHeight / 2 - size.height / 2) / scale + size.height / 2 - y];
  show(...middle, Math.max(0.2, Math.min(3, scale * 1.3 ** by)));
}

function start() {
  const frame = sheet().parentElement;
  panzoom = Panzoom(sheet(), { canvas: true, cursor: "grab", maxScale: 3, minScale: 0.2, noBind: true });
  const isFree = (event) => !event.target.closest("a, button, summary");
  frame.addEventListener("pointerdown", (event) => isFree(event) && panzoom.handleDown(event));
  document.addEventListener("pointermove", panzoom.handleMove);
  document.addEventListener("pointerup", panzoom.handleUp);
  frame.addEventListener("wheel", (event) => (event.ctrlKey || event.metaKey) && panzoom.zoomWithWheel(event), { passive: false });
  frame.addEventListener("focusin", ({ target }) => {
    const node = target.closest("[data-node]");
    frame.scrollTo(0, 0);
    if (node && target.matches(":focus-visible")) show(node.offsetLeft + node.offsetWidth / 2, node.offsetTop + node.offsetHeight / 2, panzoom.getScale());
  });
  zoom.addEventListener("click", ({ target }) => {
    const by = Number(target.dataset.by);
    if (by) zoomed(by);
    else fit();
  });
  setTimeout(fit); // Panzoom sets its own start in a timeout
}

draw();
document.addEventListener("renewed", draw);
wide.addEventListener("change", draw);
