// Builds codemirror.js, graph.js and htmx.js of the desk with the licences of all that is in them, and their digests. The
// same versions give the same bytes.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const [into] = process.argv.slice(2);
const of = (file) => file.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1];
const about = (name) => JSON.parse(readFileSync(join("node_modules", name, "package.json"), "utf8"));
const terms = (name) => readdirSync(join("node_modules", name)).find((file) => /licen[cs]e/i.test(file));
const licence = (name) => `${name} ${about(name).version}\n\n${readFileSync(join("node_modules", name, terms(name)), "utf8").trim()}\n`;

function write(name, script, packages) {
  const digest = createHash("sha256").update(script).digest("hex");
  const versions = Object.fromEntries(packages.map((each) => [each, about(each).version]));
  writeFileSync(join(into, `${name}.js`), script);
  writeFileSync(join(into, `${name}.LICENSE.txt`), packages.map(licence).join("\n"));
  writeFileSync(join(into, `${name}.json`), `${JSON.stringify({ sha256: digest, packages: versions }, null, 1)}\n`);
}

async function bundle(name, entry, what, inside = []) {
  const made = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    banner: { js: `/*! ${what}, MIT: ${name}.LICENSE.txt */` },
    outfile: join(into, `${name}.js`),
    metafile: true,
    write: false,
  });
  const found = Object.keys(made.metafile.inputs).map(of).filter(Boolean);
  write(name, made.outputFiles[0].contents, [...new Set([...found, ...inside])].sort());
}

await bundle("codemirror", "entry.mjs", "CodeMirror 6 and what it needs");
await bundle("graph", "graph.mjs", "dagre and Panzoom", ["@dagrejs/graphlib"]); // which dagre brings in its own file

const htmx = ["htmx.min.js", "ext/hx-sse.min.js"].map((file) => readFileSync(join("node_modules/htmx.org/dist", file), "utf8").trim());
write("htmx", ["/*! htmx 4 and its event streams, 0BSD: htmx.LICENSE.txt */", ...htmx, ""].join("\n"), ["htmx.org"]);
