import { existsSync, globSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs"
import path from "node:path"
import { build } from "vite"
import { lightBuiltins } from "./light-builtins.ts"

const ROOT = path.join(import.meta.dirname, "../..")
const ENTRY = path.join(ROOT, "src/show/hooks/main.ts")

const BUNDLE = path.join(ROOT, "dist/hooks/qm-hook.mjs")

const PLUGIN_ENTRY = path.join(ROOT, "src/show/hooks/opencode/plugin.ts")

/** Beside the hook bundle. */
const PLUGIN_NAME = "qm-opencode.mjs"

/**
 * Builds the one file that a host starts at each event: no package, nothing to resolve, and only
 * those Node modules that every event needs. Beside it the plugin that opencode loads.
 */
export async function buildHooks(file: string = BUNDLE): Promise<string> {
  mkdirSync(path.dirname(file), { recursive: true })
  replaceFile(path.join(path.dirname(file), PLUGIN_NAME), await bundle(PLUGIN_ENTRY))
  replaceFile(file, await bundle(ENTRY))
  return file
}

function replaceFile(file: string, code: string): void {
  // Two processes may build at the same time; the rename gives readers one complete file.
  const making = `${file}.${process.pid}-${++made}.tmp`
  writeFileSync(making, code)
  renameSync(making, file)
}

let made = 0

export function areHooksStale(file: string = BUNDLE): boolean {
  if (!existsSync(file)) return true
  const builtAt = statSync(file).mtimeMs
  const sources = globSync(SOURCES, { cwd: ROOT }).filter((it) => !it.endsWith(".test.ts"))
  return sources.some((it) => statSync(path.join(ROOT, it)).mtimeMs > builtAt)
}

const SOURCES = [
  "src/{ground/base,see/repo,know/ledger,choose/{fold,guard},act/gateway,show/hooks}/**/*.ts",
  "scripts/build/*.ts",
]

async function bundle(entry: string): Promise<string> {
  const built = await build({
    root: ROOT,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    // opencode starts once and has its own runtime.
    plugins: entry === ENTRY ? [lightBuiltins({ late: LATE, isLight: () => true })] : [],
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: entry,
      write: false,
      target: "node24",
      // The size of the bundle causes a third of its load time.
      minify: "oxc",
      rolldownOptions: {
        // No file of a room has side effects on load, so unused code can be removed.
        treeshake: { moduleSideEffects: (id) => id === entry },
        output: { format: "esm", codeSplitting: false, comments: false, minify: true },
      },
    },
  })
  const outputs = [built].flat().flatMap((it) => ("output" in it ? it.output : []))
  const [chunk, ...others] = outputs
  if (chunk?.type !== "chunk" || others.length > 0) {
    throw new Error(`The hook bundle must be one file; the build produced ${outputs.length}.`)
  }
  return chunk.code
}

/** Only few events need these. */
const LATE = ["node:child_process", "node:net", "node:timers/promises"]
