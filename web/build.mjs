// Bundles src/ into the script and the style of the page, and of its piece for other pages, which are committed with the package.
// `npm run build` writes them; `npm run check` fails where they differ from their sources.
// The notices of the libraries in the script stand at its head, so that every page carries them, and
// in a file beside it.
import { build } from "esbuild"
import { readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const assets = join(here, "..", "src", "rankbars", "render", "assets")
const bundles = [
  { from: "src/page.ts", to: "page.js", format: "iife" },
  { from: "src/style.css", to: "page.css" },
  { from: "src/fragment.ts", to: "fragment.js", format: "iife" },
  { from: "src/fragment.css", to: "fragment.css" },
]
const NOTICES = "page.LICENSES.txt"

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
    metafile: true,
    logLevel: "warning",
  })
  const inputs = Object.values(result.metafile.outputs)[0].inputs
  const notices = await noticesOf(inputs)
  const text = (notices ? `/*!\n${notices}*/\n` : "") + result.outputFiles[0].text
  // A closing tag inside a string would end the element that holds the bundle.
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${to} holds a closing tag or a comment`)
  if (options.includes("--sizes")) {
    const sizes = Object.entries(inputs).map(([name, { bytesInOutput }]) => [bytesInOutput, name])
    for (const [size, name] of sizes.sort((a, b) => b[0] - a[0]).slice(0, 25)) console.log(size, name)
    console.log(text.length, to)
  }
  await settle(join(assets, to), text)
  if (notices) await settle(join(assets, NOTICES), notices)
}
if (stale) process.exitCode = 1

/** Writes the file, or with --check tells that it differs. */
async function settle(path, text) {
  if (!options.includes("--check")) return writeFile(path, text)
  const committed = await readFile(path, "utf8").catch(() => "")
  if (committed === text) return
  console.error(`${path} does not match its sources. Run: cd web && npm run build`)
  stale = true
}

/** The libraries with code in a bundle, under their licences; equal terms stand there once. */
async function noticesOf(inputs) {
  const used = Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0)
  const found = used.map((name) => name.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
  const terms = new Map()
  for (const name of [...new Set(found.filter(Boolean))].sort()) {
    const folder = join(here, "node_modules", name)
    const { license, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
    const licence = (await readFile(join(folder, "LICENSE"), "utf8")).trim()
    const copyright = licence.match(/^(?:ISC License\s+)?(Copyright .*)\n/)
    if (!copyright) throw new Error(`${name}: no copyright at the head of its licence`)
    const rest = licence.slice(copyright[0].length).trim()
    terms.set(rest, [...(terms.get(rest) ?? []), `${name} ${version} (${license}): ${copyright[1]}`])
  }
  const parts = [...terms].map(([rest, names]) => `${names.join("\n")}\n\n${rest}\n`)
  return parts.length ? `This script contains:\n\n${parts.join("\n")}` : ""
}
