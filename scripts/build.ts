import { existsSync, globSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import path from "node:path"
import { build } from "vite"
import { COMMAND_INDEX, checkIndexStale, derivedCommands } from "#show/cli"
import { areHooksStale, buildHooks } from "./build/hooks.ts"

/**
 * `npm run build`: the console into console/dist, the hook process into dist/hooks, the index of
 * commands into dist/commands.json. `--if-needed` skips fresh outputs; `--hooks` builds only the
 * hooks, as `qm init` does in a clone.
 */
const root = path.join(import.meta.dirname, "..")
const page = path.join(root, "console/dist/index.html")
const isAsked = new Set(process.argv.slice(2))
const mayLeave = isAsked.has("--if-needed")

if (!mayLeave || areHooksStale()) await buildHooks()
if (!isAsked.has("--hooks") && (!mayLeave || (await checkIndexStale()))) {
  mkdirSync(path.dirname(COMMAND_INDEX), { recursive: true })
  writeFileSync(COMMAND_INDEX, JSON.stringify(await derivedCommands()))
}
if (!isAsked.has("--hooks") && (!mayLeave || isPageStale())) {
  await build({
    root: path.join(root, "console"),
    configFile: path.join(root, "console/vite.config.ts"),
    logLevel: "warn",
  })
}

function isPageStale(): boolean {
  if (!existsSync(page)) return true
  const builtAt = statSync(page).mtimeMs
  const sources = globSync("{console/{src,public}/**/*,console/*.*,src/ground/contract/**/*.ts}", {
    cwd: root,
  })
  return sources.some((it) => statSync(path.join(root, it)).mtimeMs > builtAt)
}
