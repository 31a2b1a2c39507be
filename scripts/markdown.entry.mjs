// What becomes `streamguard/server/chat/page/markdown.js`, in an empty folder beside this file:
//   npm install mdast-util-from-markdown@2.1.0 mdast-util-gfm-table@2.0.1
//     micromark@4.0.3 micromark-extension-gfm-table@2.1.2 esbuild
//   npx esbuild markdown.entry.mjs --bundle --minify --format=esm --platform=neutral
//     --main-fields=module,main --conditions=default --legal-comments=none --outfile=markdown.js
// Then put the head of the former file before it.
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";

/** Return the syntax tree of a text, each node with its offsets in UTF-16 units. */
export const parse = (text) => fromMarkdown(text, {
  extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()],
});
