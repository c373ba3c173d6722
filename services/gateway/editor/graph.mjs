// What the desk takes to lay out and to zoom the map of a document, as one module; `map.js` is its only user.
export { Graph, layout } from "@dagrejs/dagre";
export { default as Panzoom } from "@panzoom/panzoom";
