import { existsSync, globSync, readFileSync } from "node:fs"
import path from "node:path"
import { z } from "zod"

const ROOT = path.join(import.meta.dirname, "../..")

const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().default("see below"),
  dependencies: z.record(z.string(), z.string()).default({}),
})

/**
 * The licence texts of the packages that contain one of the given modules, and of mermaid with its
 * dependencies: diagram.html is built apart and cached.
 */
export function renderLicenses(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((it) => packageFolderOf(it) ?? []))
  addWithDependencies("mermaid", folders)
  const namesByText = new Map<string, Set<string>>()
  for (const folder of folders) {
    const { name, text } = readPackage(folder)
    namesByText.set(text, (namesByText.get(text) ?? new Set()).add(name))
  }
  const entries = [...namesByText].map(([text, names]) => {
    return `${[...names]
      .toSorted()
      .map((it) => `== ${it}`)
      .join("\n")}\n\n${text}\n`
  })
  return `The bundles contain these packages.\n\n${entries.toSorted().join("\n")}`
}

/** The folder after the last `node_modules/`: one name, or a scope and a name. */
function packageFolderOf(module: string): string | undefined {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1]
}

function addWithDependencies(name: string, folders: Set<string>): void {
  const folder = path.join(ROOT, "node_modules", name)
  if (folders.has(folder) || !existsSync(folder)) return
  folders.add(folder)
  const manifest = Manifest.parse(
    JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")),
  )
  for (const it of Object.keys(manifest.dependencies)) addWithDependencies(it, folders)
}

function readPackage(folder: string) {
  const manifest = readFileSync(path.join(folder, "package.json"), "utf8")
  const { name, version, license } = Manifest.parse(JSON.parse(manifest))
  const files = globSync("{LICEN[CS]E,licen[cs]e,NOTICE}*", { cwd: folder })
  const texts = files.map((it) => readFileSync(path.join(folder, it), "utf8").trim())
  return { name: `${name} ${version} (${license})`, text: texts.join("\n\n") }
}
