import { existsSync, globSync, statSync } from "node:fs"
import path from "node:path"
import { build } from "vite"

/** `npm run build`: build the console into console/dist. `--if-needed` leaves a fresh one alone. */
const root = path.join(import.meta.dirname, "..")
const page = path.join(root, "console/dist/index.html")

if (!process.argv.includes("--if-needed") || isStale()) {
  await build({
    root: path.join(root, "console"),
    configFile: path.join(root, "console/vite.config.ts"),
    logLevel: "warn",
  })
}

/** Older than any of its sources, or not there at all. */
function isStale(): boolean {
  if (!existsSync(page)) return true
  const builtAt = statSync(page).mtimeMs
  const sources = globSync("{console/{src,public}/**/*,console/*.*,src/ground/contract/*.ts}", {
    cwd: root,
  })
  return sources.some((it) => statSync(path.join(root, it)).mtimeMs > builtAt)
}
