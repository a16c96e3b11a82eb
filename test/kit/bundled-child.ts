import { mkdtempSync, rmSync } from "node:fs"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { bundleChildren } from "../../scripts/test/children.ts"
import { childFile } from "./child.ts"

/** Inside the package, whose files the code may look for. */
const CACHE = path.join(import.meta.dirname, "../../node_modules/.cache/qm-test-child-")

/**
 * The script of a child as one file also where `vitest` was started by hand, for a child that is
 * killed hundreds of times.
 */
export async function bundleChild(script: URL) {
  const source = fileURLToPath(script)
  const built = childFile(script)
  if (built !== source) return { url: pathToFileURL(built), [Symbol.dispose]: () => {} }
  const folder = mkdtempSync(CACHE)
  await bundleChildren({ child: source }, folder)
  return {
    url: pathToFileURL(path.join(folder, "child.mjs")),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
