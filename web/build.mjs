// Bundles src/ into the script and the style of the page, which are committed with the package.
// `npm run build` writes them; `npm run check` fails where they differ from their sources.
import { build } from "esbuild"
import { readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const assets = join(here, "..", "src", "rankbars", "render", "assets")
const bundles = [
  { from: "src/page.ts", to: "page.js", format: "iife" },
  { from: "src/style.css", to: "page.css" },
]

const options = process.argv.slice(2)
let stale = false
for (const { from, to, format } of bundles) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [from],
    bundle: true,
    minify: true,
    charset: "ascii",
    legalComments: "none",
    target: "es2022",
    ...(format ? { format } : {}),
    write: false,
    metafile: options.includes("--sizes"),
    logLevel: "warning",
  })
  const text = result.outputFiles[0].text
  // A closing tag inside a string would end the element that holds the bundle.
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${to} holds a closing tag or a comment`)
  const path = join(assets, to)
  if (result.metafile) {
    const inputs = Object.values(result.metafile.outputs)[0].inputs
    const sizes = Object.entries(inputs).map(([name, { bytesInOutput }]) => [bytesInOutput, name])
    for (const [size, name] of sizes.sort((a, b) => b[0] - a[0]).slice(0, 25)) console.log(size, name)
    console.log(text.length, to)
  }
  if (options.includes("--check")) {
    const committed = await readFile(path, "utf8").catch(() => "")
    if (committed === text) continue
    console.error(`${path} does not match its sources. Run: cd web && npm run build`)
    stale = true
  } else {
    await writeFile(path, text)
  }
}
if (stale) process.exitCode = 1
