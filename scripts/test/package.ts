import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs"
import path from "node:path"
import { z } from "zod"
import { buildEngine } from "../build/engine.ts"
import { bundleChildren, childScripts } from "./children.ts"

const ROOT = path.join(import.meta.dirname, "../..")
const FOLDER = path.join(ROOT, "node_modules/.cache/qm-package")
const INPUTS = [
  "{package.json,package-lock.json,dist/config.json}",
  "test/**/*.ts",
  "{bin,src,scripts/{build,test},dist/hooks,console/dist,grammars,models,recipes,sources,templates}/**/*",
]

const Manifest = z.object({
  files: z.array(z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
})

/**
 * The folder that npm would install, with the bundled engine: tests that start `qm` start it from
 * here, because loading 300 to 600 source files takes up to four times as long. `children` has the
 * programs of `childScripts()`. Returns its path.
 */
export async function packageFolder(): Promise<string> {
  if (!isStale()) return FOLDER
  await buildEngine()
  mkdirSync(path.dirname(FOLDER), { recursive: true })
  const making = mkdtempSync(`${FOLDER}-`)
  const { files, optionalDependencies } = Manifest.parse(
    JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")),
  )
  for (const name of ["package.json", ...files.filter((it) => !it.startsWith("!"))]) {
    cpSync(path.join(ROOT, name), path.join(making, name), { recursive: true })
  }
  await bundleChildren(childScripts(), path.join(making, "children"))
  mkdirSync(path.join(making, "node_modules"))
  for (const runtime of Object.keys(optionalDependencies)) {
    const installed = path.join(ROOT, "node_modules", runtime)
    if (existsSync(installed)) symlinkSync(installed, path.join(making, "node_modules", runtime))
  }
  rmSync(FOLDER, { recursive: true, force: true })
  renameSync(making, FOLDER)
  return FOLDER
}

function isStale(): boolean {
  if (!existsSync(FOLDER)) return true
  const builtAt = statSync(FOLDER).mtimeMs
  const inputs = globSync(INPUTS, { cwd: ROOT }).filter((it) => !it.endsWith(".test.ts"))
  return inputs.some((it) => statSync(path.join(ROOT, it)).mtimeMs > builtAt)
}
