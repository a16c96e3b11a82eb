import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import path from "node:path"
import { build } from "vite"
import { loadOperations, outlineConfig } from "#ground/contract"
import { COMMAND_INDEX, checkIndexStale, derivedCommands } from "#show/cli"
import { buildEngine } from "./build/engine.ts"
import { areHooksStale, buildHooks } from "./build/hooks.ts"
import { renderLicenses } from "./build/licenses.ts"
import { compileValidators } from "./build/validators.ts"

/**
 * `npm run build` writes what the published package runs: the engine into dist/engine, the hook
 * process into dist/hooks, the index of commands into dist/commands.json, the defaults of the
 * config into dist/config.json, checks of inputs and outputs into dist/validators, the console into
 * console/dist. A clone runs from its sources and
 * needs only some of it: `--if-needed` skips the engine and fresh outputs (`npm start`), `--hooks`
 * builds only the hooks (`qm init`).
 */
const root = path.join(import.meta.dirname, "..")
const flags = new Set(process.argv.slice(2))
const isPartial = flags.has("--if-needed")

if (!isPartial || areHooksStale()) await buildHooks()
if (!flags.has("--hooks")) {
  if (!isPartial || (await checkIndexStale())) {
    mkdirSync(path.dirname(COMMAND_INDEX), { recursive: true })
    writeFileSync(COMMAND_INDEX, JSON.stringify(await derivedCommands()))
  }
  const modules = isPartial ? [] : await buildEngine()
  if (!isPartial) await buildValidators()
  // An older one from a full build would hide new settings from the package that tests use.
  const defaults = path.join(root, "dist/config.json")
  if (!isPartial || existsSync(defaults)) writeIfChanged(defaults, JSON.stringify(outlineConfig()))
  const pageModules = !isPartial || isPageStale() ? await buildPage() : []
  if (!isPartial) {
    const licenses = renderLicenses([...modules, ...pageModules])
    writeFileSync(path.join(root, "dist/THIRD-PARTY-LICENSES.txt"), licenses)
  }
}

async function buildValidators(): Promise<void> {
  const folder = path.join(root, "dist/validators")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const groups = Map.groupBy(await loadOperations(), (it) => it.name.slice(0, it.name.indexOf(".")))
  for (const [group, operations] of groups) {
    const schemas = operations.flatMap(({ name, input, output }) => [
      [`${name} input`, input] as const,
      [`${name} output`, output] as const,
    ])
    const code = compileValidators(Object.fromEntries(schemas))
    writeFileSync(path.join(folder, `${group}.mjs`), code)
  }
}

function writeIfChanged(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text)
}

async function buildPage(): Promise<readonly string[]> {
  // A test runs this with NODE_ENV=test, which would bundle the development build of React.
  process.env["NODE_ENV"] = "production"
  const built = await build({
    root: path.join(root, "console"),
    configFile: path.join(root, "console/vite.config.ts"),
    logLevel: "warn",
  })
  const outputs = [built].flat().flatMap((it) => ("output" in it ? it.output : []))
  return outputs.flatMap((it) => (it.type === "chunk" ? Object.keys(it.modules) : []))
}

function isPageStale(): boolean {
  const page = path.join(root, "console/dist/index.html")
  if (!existsSync(page)) return true
  const builtAt = statSync(page).mtimeMs
  const sources = globSync(
    "{console/{src,public}/**/*,console/*.*,src/ground/{base,contract}/**/*.ts}",
    {
      cwd: root,
    },
  )
  return sources.some((it) => statSync(path.join(root, it)).mtimeMs > builtAt)
}
