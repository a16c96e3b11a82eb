import path from "node:path"
import type { Plugin } from "rolldown"

const PREFIX = "\0late:"
const ENTRY = "\0package:"

/** The names of the functions that our sources import, by package. */
export type LatePackages = Readonly<Record<string, readonly string[]>>

/** The entries of the bundle that `latePackages` loads. */
export function packageEntries(packages: LatePackages): Readonly<Record<string, string>> {
  const names = Object.keys(packages)
  return Object.fromEntries(names.map((it) => [`packages/${it}`, `${ENTRY}${it}`]))
}

/**
 * Loads packages at the first call of one of their functions, in the files that call them for some
 * inputs only: a capture without front matter needs no YAML. The function is not asynchronous, so it
 * loads the package by `require`, which also loads ES modules.
 */
export function latePackages(packages: LatePackages, importers: readonly string[]): Plugin {
  return {
    name: "late-packages",
    resolveId(id, importer = "") {
      if (id.startsWith(ENTRY)) return id
      const isLate = Object.hasOwn(packages, id) && importers.includes(importer)
      return isLate ? PREFIX + id : undefined
    },
    load(id) {
      if (id.startsWith(ENTRY)) {
        const name = id.slice(ENTRY.length)
        return `export { ${packages[name]?.join(", ")} } from ${JSON.stringify(name)}`
      }
      if (!id.startsWith(PREFIX)) return undefined
      const name = id.slice(PREFIX.length)
      return lateModule(name, packages[name] ?? [])
    },
    writeBundle(_options, bundle) {
      // The path below is relative to the folder of the chunks.
      for (const it of Object.values(bundle)) {
        const isLate = it.type === "chunk" && it.moduleIds.some((id) => id.startsWith(PREFIX))
        if (isLate && path.dirname(it.fileName) !== "chunks") {
          throw new Error(`${it.fileName} loads a late package, but is not in the folder chunks`)
        }
      }
    },
  }
}

function lateModule(name: string, functions: readonly string[]): string {
  const file = JSON.stringify(`../packages/${name}.mjs`)
  const load = `process.getBuiltinModule("node:module").createRequire(import.meta.url)(${file})`
  const lines = functions.map((it) => {
    const target = it === "default" ? "export default" : `export const ${it} =`
    return `${target} (...given) => load().${it}(...given)`
  })
  return [`let loaded`, `const load = () => (loaded ??= ${load})`, ...lines, ""].join("\n")
}
