import { mkdtempSync, rmSync } from "node:fs"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { lazySchemas } from "../../scripts/build/lazy-schemas.ts"

const SOURCES = path.join(import.meta.dirname, "../../src")
const PURE_MODULE = /\/src\/(?:[^/]+\/)*(?!main\.ts$|zod-without-jit\.ts$)[^/]+\.ts$/

const JSONC_PARSER = path.join(
  import.meta.dirname,
  "../../node_modules/jsonc-parser/lib/esm/main.js",
)

/** Inside the package, whose files the code may look for. */
const CACHE = path.join(import.meta.dirname, "../../node_modules/.cache/qm-test-child-")

/**
 * The script of a child as one file, like the published package: it starts in a third of the time,
 * which matters for a child that is killed hundreds of times.
 */
export async function bundleChild(script: URL) {
  const folder = mkdtempSync(CACHE)
  const file = path.join(folder, "child.mjs")
  const bundle = await rolldown({
    input: fileURLToPath(script),
    platform: "node",
    // Its CommonJS build hides its own requires from bundlers.
    resolve: { alias: { "jsonc-parser": JSONC_PARSER } },
    external: ["pg", "pg-native"],
    treeshake: { moduleSideEffects: [{ test: PURE_MODULE, sideEffects: false }] },
    plugins: [lazySchemas({ folder: SOURCES, isPure: (file) => PURE_MODULE.test(file) })],
  })
  await bundle.write({ file, format: "esm", codeSplitting: false })
  await bundle.close()
  return {
    url: pathToFileURL(file),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
