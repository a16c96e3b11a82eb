import { globSync } from "node:fs"
import path from "node:path"
import { rolldown } from "rolldown"
import { lazySchemas } from "../build/lazy-schemas.ts"

const ROOT = path.join(import.meta.dirname, "../..")
const SOURCES = path.join(ROOT, "src")
const PURE_MODULE = /\/src\/(?:[^/]+\/)*(?!main\.ts$|zod-without-jit\.ts$)[^/]+\.ts$/
const JSONC_PARSER = path.join(ROOT, "node_modules/jsonc-parser/lib/esm/main.js")

/** The programs that tests start as processes of their own, by their path without the ending. */
export function childScripts(): Readonly<Record<string, string>> {
  const files = globSync(["test/**/*.child.ts", "src/show/mcp/stdio.fixture.ts"], { cwd: ROOT })
  return Object.fromEntries(
    files.toSorted().map((it) => [it.replace(/\.ts$/, ""), path.join(ROOT, it)]),
  )
}

/**
 * Bundles programs like the published package: from the sources a program that loads the app starts
 * with five times the computing time, and some are killed and started again hundreds of times.
 */
export async function bundleChildren(
  input: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  const bundle = await rolldown({
    input: { ...input },
    platform: "node",
    // Its CommonJS build hides its own requires from bundlers.
    resolve: { alias: { "jsonc-parser": JSONC_PARSER } },
    external: ["pg", "pg-native"],
    treeshake: { moduleSideEffects: [{ test: PURE_MODULE, sideEffects: false }] },
    plugins: [lazySchemas({ folder: SOURCES, isPure: (file) => PURE_MODULE.test(file) })],
    checks: { pluginTimings: false },
  })
  await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "chunks/[name]-[hash].mjs",
  })
  await bundle.close()
}
