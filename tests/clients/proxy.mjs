// A proxy in front of several gateways, each request to the next one: node proxy.mjs PORT URL URL...
import { createServer } from "node:http";
import proxies from "http-proxy";

const [port, ...targets] = process.argv.slice(2);
const proxy = proxies.createProxyServer({ xfwd: true });
let taken = 0;
proxy.on("error", (_, request, response) => response.destroy());
createServer((request, response) => proxy.web(request, response, { target: targets[taken++ % targets.length] })).listen(
  Number(port), "127.0.0.1", () => console.log("ready"),
);
