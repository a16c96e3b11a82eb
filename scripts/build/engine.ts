import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import path from "node:path"
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec"
import { type RolldownBuild, type RolldownLog, rolldown } from "rolldown"
import { z } from "zod"
import { type Insertion, inlineFacades } from "./facades.ts"
import { type LatePackages, latePackages, packageEntries } from "./late-packages.ts"
import { lazySchemas } from "./lazy-schemas.ts"
import { lightBuiltins } from "./light-builtins.ts"

/** Modules that most commands do not need, or only after their first output. */
const LATE = [
  "node:child_process",
  "node:crypto",
  "node:net",
  "node:readline",
  "node:timers/promises",
  "node:zlib",
]

/** Modules that most commands need, and whose import would load more than the module itself. */
const LIGHT = ["node:fs", "node:fs/promises", "node:http", "node:https", "node:util"]

const ROOT = path.join(import.meta.dirname, "../..")
const SOURCES = path.join(ROOT, "src")
const ENGINE = path.join(ROOT, "dist/engine")

/** The program, and the modules that `threadModule()` starts in worker threads. */
const ENTRIES = {
  main: "src/show/main.ts",
  "ground/secrets/thread/main": "src/ground/secrets/thread/main.ts",
  "ground/tokens/thread/main": "src/ground/tokens/thread/main.ts",
  "know/knowledge/readers/pdf/thread/main": "src/know/knowledge/readers/pdf/thread/main.ts",
  "know/map/thread/main": "src/know/map/thread/main.ts",
  "know/map/tree/thread/main": "src/know/map/tree/thread/main.ts",
  "act/gateway/read/thread/main": "src/act/gateway/read/thread/main.ts",
}

const LATE_PACKAGES: LatePackages = {
  "diff/lib/diff/array.js": ["diffArrays"],
  picomatch: ["default"],
  "smol-toml": ["parse", "stringify"],
  yaml: ["parse"],
}

/** They call a package for some inputs only. */
const LATE_IMPORTERS = [
  "see/capture/compare/line-diff.ts",
  "see/capture/redact.ts",
  "see/hosts/files/frontmatter.ts",
  "see/hosts/files/glob.ts",
]

const OUR_PURE_MODULE =
  /\/(?:src\/(?:[^/]+\/)*(?!main\.ts$|zod-without-jit\.ts$)[^/]+|scripts\/build\/light-[a-z]+)\.ts$/

/**
 * Bundles `src` with all packages into `dist/engine`: a file per entry, and chunks that load when an
 * operation needs them. Decision 0027. Returns the paths of the bundled modules.
 */
export async function buildEngine(): Promise<readonly string[]> {
  const planned = new Set<RolldownBuild>()
  const bundle = await rolldown({
    cwd: ROOT,
    input: { ...ENTRIES, ...packageEntries(LATE_PACKAGES) },
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    // Its CommonJS build hides its own requires from bundlers.
    resolve: {
      alias: { "jsonc-parser": path.join(ROOT, "node_modules/jsonc-parser/lib/esm/main.js") },
    },
    // `pg` asks for pg-native, finds none and continues with its own code.
    external: ["pg-native"],
    // Of our modules only entries have side effects on load, so unused code of rooms is removed.
    treeshake: { moduleSideEffects: [{ test: OUR_PURE_MODULE, sideEffects: false }] },
    plugins: [
      withoutUnused,
      latePackages(
        LATE_PACKAGES,
        LATE_IMPORTERS.map((it) => path.join(SOURCES, it)),
      ),
      lazySchemas({ folder: SOURCES, isPure: (file) => OUR_PURE_MODULE.test(file) }),
      lightBuiltins({
        late: LATE,
        isLight: (name, importer) =>
          [...LATE, ...LIGHT].includes(name) && importer.startsWith(SOURCES),
      }),
    ],
    onLog(_level, log) {
      // Of an operation in the group `operations`. The plan refuses all others.
      if (planned.size === 0 || log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") refuse(log)
    },
  })
  const together = await planGroups(bundle)
  planned.add(bundle)
  mkdirSync(path.dirname(ENGINE), { recursive: true })
  // Readers see the old folder or the new one, never a half-written one.
  const making = mkdtempSync(`${ENGINE}-`)
  const { output } = await bundle.write({
    dir: making,
    format: "esm",
    minify: true,
    comments: false,
    // `mapStack()` in ground/base reads the maps when a bug is reported.
    sourcemap: "hidden",
    sourcemapExcludeSources: true,
    entryFileNames: "[name].mjs",
    codeSplitting: {
      groups: [
        // One file loads faster than thirty. The sets are complete, so none imports back.
        ...together.map(({ name, modules }) => ({
          name,
          test: (id: string) => modules.has(id),
          includeDependenciesRecursively: false,
        })),
        ...PACKAGE_GROUPS,
      ],
    },
    chunkFileNames: "chunks/[name]-[hash].mjs",
  })
  await bundle.close()
  const chunks = output.filter((it) => it.type === "chunk")
  const pureChunks = chunks.filter((it) => it.moduleIds.every((id) => OUR_PURE_MODULE.test(id)))
  const pureFiles = new Set(pureChunks.map((it) => path.basename(it.fileName)))
  const codeOf = (file: string) => readFileSync(path.join(making, file), "utf8")
  const { codes, insertions } = inlineFacades(
    new Map(chunks.map((it) => [it.fileName, withoutImports(codeOf(it.fileName), pureFiles)])),
  )
  for (const { fileName, moduleIds } of chunks) {
    const file = path.join(making, fileName)
    const code = codes.get(fileName)
    if (code !== undefined) {
      writeFileSync(file, code)
      trimMap(`${file}.map`, moduleIds, insertions.get(fileName) ?? [])
    } else for (const it of [file, `${file}.map`]) rmSync(it, { force: true })
  }
  rmSync(ENGINE, { recursive: true, force: true })
  renameSync(making, ENGINE)
  return chunks.flatMap((it) => it.moduleIds)
}

/** A chunk per package, because a command loads few of them. */
const PACKAGE_GROUPS = [
  { name: "zod", test: /\/node_modules\/zod\//, priority: 1 },
  { name: packageOf, debugName: "packages", test: /\/node_modules\// },
]

/** Small modules that many commands use; a schema takes time only when it is used. */
const SHARED_MODULE = new RegExp(
  [
    "/src/ground/(?:base/|contract/(?:shapes/|[\\w-]+\\.ts$))",
    "/src/see/hosts/(?:files/(?:disk|folder-walk|glob|json-settings)|transcripts/find-transcripts|limits|hosts|base-urls)\\.ts$",
    "/src/see/repo/(?:list-files|tree-file|classify|limits)\\.ts$",
    "/src/ground/tokens/bar\\.ts$",
    "/src/ground/store/json-column\\.ts$",
    "^\\0(?:late:|builtin:node:zlib$)",
    "/scripts/build/light-[a-z]+\\.ts$",
    "/src/show/cli/render/(?:lines|bar)\\.ts$",
  ].join("|"),
)

/** Modules of ours that always load together: every command loads `start`, most load `operations`. */
async function planGroups(bundle: RolldownBuild) {
  const { output } = await bundle.generate({ codeSplitting: { groups: PACKAGE_GROUPS } })
  const chunks = output.filter((it) => it.type === "chunk")
  const loadedBy = (source: string): ReadonlySet<string> => {
    const entry = chunks.find((it) => it.facadeModuleId === path.join(ROOT, source))
    const files = new Set([entry?.fileName])
    for (const file of files) {
      for (const it of chunks.find((chunk) => chunk.fileName === file)?.imports ?? []) files.add(it)
    }
    const modules = chunks.filter((it) => files.has(it.fileName)).flatMap((it) => it.moduleIds)
    return new Set(modules.filter((it) => GROUPED_MODULE.test(it)))
  }
  const start = loadedBy("src/show/main.ts")
  const everyModule = chunks.flatMap((it) => it.moduleIds)
  const shared = everyModule.filter((it) => SHARED_MODULE.test(it))
  const operations = loadedBy("src/show/cli/run-operation.ts").union(new Set(shared))
  const secrets = new Set(everyModule.filter((it) => SECRETS_MODULE.test(it)))
  const threads = Object.values(ENTRIES).slice(1).map(loadedBy)
  const elsewhere = [start, operations, ...threads].reduce((all, it) => all.union(it))
  const inThreads = threads.reduce((all, it) => all.union(it)).difference(start.union(operations))
  const commands = COMMANDS.flatMap(({ name, entries, rooms }) => {
    const modules = entries.map(loadedBy).reduce((all, it) => all.union(it))
    const own = [...modules.difference(elsewhere)].filter((it) => rooms.test(it))
    const shared = modules.intersection(inThreads)
    return [
      { name, modules: new Set(own) },
      { name: `${name}-and-threads`, modules: shared },
    ]
  })
  return [
    { name: "start", modules: start },
    { name: "operations", modules: operations.difference(start) },
    { name: "secrets", modules: secrets.difference(start).difference(operations) },
    ...commands,
  ]
}

/** Every command that shows a text of the repository loads all of them. */
const SECRETS_MODULE = /\/src\/ground\/secrets\/(?!thread\/)/

/** Besides our modules one small package that every operation loads. */
const GROUPED_MODULE = new RegExp(
  `${OUR_PURE_MODULE.source}|^\\0(?:builtin|late):|/node_modules/jsonc-parser/`,
)

/** Everyday commands of several rooms; their modules are together only if no other command needs them. */
const COMMANDS = [
  {
    name: "search",
    entries: [
      "src/show/app/rooms/pack.ts",
      "src/show/app/rooms/pack-records.ts",
      "src/know/map/index.ts",
      "src/know/map/find/answers.ts",
      "src/ground/contract/operations/map.ts",
      "src/ground/contract/operations/pack.ts",
      "src/show/cli/render/map.ts",
      "src/show/cli/render/pack.ts",
    ],
    rooms:
      /\/src\/(?:know\/map\/|know\/search\/(?:file-symbols|relevance)|know\/knowledge\/check-for-documents|choose\/pack\/|show\/app\/rooms\/pack|ground\/contract\/operations\/(?:map|pack)|show\/cli\/render\/(?:map|pack))/,
  },
  {
    name: "capture",
    entries: [
      "src/show/app/rooms/capture.ts",
      "src/see/hosts/claude-code/claude-code.ts",
      "src/ground/contract/operations/capture.ts",
      "src/show/cli/render/capture.ts",
    ],
    rooms:
      /\/src\/(?:see\/capture\/|see\/hosts\/(?:claude-code\/|(?:context-keys|find-program|listing-budget|source|survey-reader|tool-calls|files\/file-trust|files\/frontmatter)\.ts)|show\/app\/rooms\/capture|ground\/contract\/operations\/capture|show\/cli\/render\/capture)/,
  },
]

/**
 * Drops imports of chunks for their side effects alone, because they have none: a search would load
 * the readers of documents. Spaces keep the columns of the source map.
 */
function withoutImports(code: string, pureFiles: ReadonlySet<string>): string {
  return code.replace(/import"\.[\w./-]*\/([\w.-]+)";/g, (text, name: string) =>
    pureFiles.has(name) ? " ".repeat(text.length) : text,
  )
}

/**
 * Parts of packages that we never call, by the end of their path. The table of media types:
 * engine.io and socket.io negotiate only encodings with it. The logger of fastify: ours is off there.
 */
const UNUSED: Readonly<
  Record<string, { readonly code: string; readonly moduleType: "js" | "json" }>
> = {
  "/mime-db/db.json": { code: "{}", moduleType: "json" },
  "/pino/pino.js": {
    code: 'module.exports = { symbols: { serializersSym: Symbol("none") }, stdSerializers: {} }',
    moduleType: "js",
  },
}
const withoutUnused = {
  name: "without-unused",
  load: (id: string) => Object.entries(UNUSED).find(([end]) => id.endsWith(end))?.[1] ?? null,
}

/** Stacks need source lines of our code: no names, no columns, no packages. A tenth of the size. */
function trimMap(file: string, modules: readonly string[], insertions: readonly Insertion[]): void {
  // A file that only exports names of others has no map.
  if (!existsSync(file)) return
  if (!modules.some((it) => it.startsWith(SOURCES))) {
    rmSync(file, { force: true })
    return
  }
  const map = SourceMap.parse(JSON.parse(readFileSync(file, "utf8")))
  const mappings = decode(map.mappings).map((segments, index) => {
    const inserted = insertions.filter((it) => it.line === index)
    let last = ""
    return segments.flatMap((segment) => {
      const [column, source, line] = segment
      const position = `${source}:${line}`
      if (source === undefined || line === undefined || position === last) return []
      if (DATA.test(map.sources[source] ?? "")) return []
      last = position
      const shift = inserted
        .filter((it) => it.column <= column)
        .reduce((sum, it) => sum + it.length, 0)
      return [[column + shift, source, line, 0] satisfies SourceMapSegment]
    })
  })
  writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: encode(mappings) }))
}

const SourceMap = z.looseObject({ mappings: z.string(), sources: z.array(z.string()) })

/** Descriptors and schemas, which no stack names: zod reports a wrong value by its path. */
const DATA = /\/ground\/contract\/(?:operations|shapes)\//

function packageOf(module: string): string {
  const name = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? "package"
  return name.replace("/", "-").replace("@", "")
}

/** web-tree-sitter evaluates code only for grammars that contain some; ours contain none. */
function refuse({ code, message, id = "" }: RolldownLog): void {
  if (code === "EVAL" && id.includes("/web-tree-sitter/")) return
  throw new Error(`The bundle has a fault: ${message}`)
}
