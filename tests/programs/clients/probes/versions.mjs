// The major version of a package beside the script; many packages do not export their package.json.

import { readFileSync } from "node:fs";

export function major(name) {
  const file = new URL(`./node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file)).version.split(".")[0];
}
