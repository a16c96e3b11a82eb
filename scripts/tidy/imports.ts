import { type Finding, type Findings, fail } from "./finding.ts"
import { type Import, resolveImport, type Source, type Tree } from "./tree.ts"
import { HIGHEST_FOR_HOOKS, HOOKS, HOST_PLUGIN, ONLY_IMPORTS, ROOM_RANK, roomOf } from "./wings.ts"

/** Checks which files may import which: wings, indexes, the hook process, the console. */
export function checkImports(tree: Tree): Findings {
  const failures = tree.sources.flatMap((source) =>
    source.imports.flatMap((it) => checkImport(source, it)),
  )
  return fail(...failures, ...checkHooks(tree))
}

function checkImport(source: Source, it: Import): readonly Finding[] {
  const where = `${source.path}:${it.line}`
  const wrong = findBreach(source, it) ?? (it.isStar && !it.isType ? EXPORT_STAR : undefined)
  return wrong === undefined ? [] : [{ where, ...wrong }]
}

type Breach = Omit<Finding, "where">

/** Types may be re-exported as a whole, as the console does with those of the contract. */
const EXPORT_STAR: Breach = {
  wrong: "`export *` hides the public names.",
  instead: "Name each export.",
}

function findBreach(source: Source, it: Import): Breach | undefined {
  const target = resolveImport(source.path, it.specifier)
  const room = roomOf(source.path)
  if (source.path.startsWith("console/")) return breachOfConsole(source, it, target)
  if (room !== undefined) return breachOfRoom({ source, it, room, target })
  return breachFromOutside(source, it, target)
}

/** Pure functions that the terminal and the pages share. */
const PURE_FILES_FOR_PAGES: ReadonlySet<string> = new Set([
  "#ground/base/format",
  "#ground/base/json",
  "#ground/base/object",
  "#ground/base/truncate",
])

/** The folders of console/src that each of them may import; `app` imports all. */
const CONSOLE_LAYERS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  ui: ["base"],
  data: ["base"],
  features: ["base", "ui", "data"],
}

function breachOfConsole(
  source: Source,
  it: Import,
  target: string | undefined,
): Breach | undefined {
  const layer = layerOf(source.path)
  const targetLayer = layerOf(target)
  const allowed = source.isTest || layer === undefined ? undefined : CONSOLE_LAYERS[layer]
  if (allowed && targetLayer && targetLayer !== layer && !allowed.includes(targetLayer)) {
    return {
      wrong: `console/src/${layer} imports ${it.specifier} of console/src/${targetLayer}.`,
      instead: `It may import ${["contract.ts", ...allowed].join(", ")} and its own files.`,
    }
  }
  const isOwn = target === undefined || target.startsWith("console/")
  // By file, because a room's index also loads zod or Node modules, which a page cannot use.
  if (isOwn || target.startsWith("src/ground/contract/")) return undefined
  if (PURE_FILES_FOR_PAGES.has(it.specifier)) return undefined
  return {
    wrong: `The console imports ${it.specifier}.`,
    instead:
      "The console may import only #ground/contract of the engine; request the rest from the server.",
  }
}

function layerOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : /^console\/src\/([^/]+)\//.exec(path)?.[1]
}

type RoomImport = { source: Source; it: Import; room: string; target: string | undefined }

function breachOfRoom({ source, it, room, target }: RoomImport): Breach | undefined {
  if (target === undefined) return breachByPackage(source, it.specifier, room)
  const targetRoom = roomOf(target)
  if (targetRoom === room) return it.specifier.startsWith("#") ? roundabout(it) : undefined
  const isForTests = target.startsWith("test/")
  if (isForTests && source.isTest) return undefined
  if (targetRoom === undefined) return outsideRooms(it)
  if (!isPublicName(it.specifier)) return pastIndex(it, targetRoom)
  return breachOfWings(it, room, targetRoom)
}

function breachOfWings(imported: Import, room: string, targetRoom: string): Breach | undefined {
  const rank = ROOM_RANK.get(room)
  const targetRank = ROOM_RANK.get(targetRoom)
  // The check of rooms reports an unknown room once, so do not repeat it at each import.
  if (rank === undefined || targetRank === undefined || targetRank < rank) return undefined
  const direction = targetRank === rank ? "sideways" : "upwards"
  return {
    wrong: `${room} imports ${direction}: ${imported.specifier}.`,
    instead:
      direction === "sideways"
        ? "Take the value or a function in `deps`, or find the missing lower room."
        : "Calls go down, events go up: emit an event, or take a function in `deps`.",
  }
}

function breachByPackage(source: Source, specifier: string, room: string): Breach | undefined {
  const allowed = ONLY_IMPORTS[room]
  if (allowed === undefined || source.isTest || allowed.includes(specifier)) return undefined
  return {
    wrong: `${room} imports ${specifier}.`,
    instead: `This room may import ${allowed.join(", ")} and its own files, nothing else.`,
  }
}

/** Launchers start the two entries by path; everything else imports the front door. */
function breachFromOutside(
  source: Source,
  it: Import,
  target: string | undefined,
): Breach | undefined {
  const targetRoom = target === undefined ? undefined : roomOf(target)
  const isEntry = target !== undefined && /^src\/show\/[^/]+\/main\.ts$/.test(target)
  if (targetRoom === undefined || isPublicName(it.specifier)) return undefined
  if (isEntry && source.path.startsWith("bin/")) return undefined
  return pastIndex(it, targetRoom)
}

function pastIndex(imported: Import, targetRoom: string): Breach {
  return {
    wrong: `${imported.specifier} reaches past the index of ${targetRoom}.`,
    instead: `Import from "#${targetRoom}", and export the name there if it is meant to be public.`,
  }
}

function roundabout(imported: Import): Breach {
  return {
    wrong: `The room imports itself by ${imported.specifier}.`,
    instead: "Inside a room, import the file by its relative path.",
  }
}

function outsideRooms(imported: Import): Breach {
  return {
    wrong: `${imported.specifier} is outside the rooms.`,
    instead: "A room imports rooms, packages and its own files; only tests use test/.",
  }
}

function isPublicName(specifier: string): boolean {
  return /^#[^/]+\/[^/]+$/.test(specifier)
}

/** Follows the runtime imports of the hook process: type imports vanish, all others cost time. */
function checkHooks(tree: Tree): readonly Finding[] {
  const sources = new Map(tree.sources.map((source) => [source.path, source]))
  const waiting = tree.sources.filter(
    (it) => roomOf(it.path) === HOOKS && !it.isTest && !it.path.startsWith(HOST_PLUGIN),
  )
  const seen = new Set(waiting)
  const findings: Finding[] = []
  for (const source of waiting) {
    for (const imported of source.imports.filter((one) => !one.isType)) {
      const target = resolveImport(source.path, imported.specifier)
      const wrong = wrongForHooks(imported, target)
      if (wrong !== undefined) findings.push(hookFinding(source, imported, wrong))
      const next = target === undefined ? undefined : sources.get(target)
      if (next === undefined || seen.has(next)) continue
      seen.add(next)
      waiting.push(next)
    }
  }
  return findings
}

function wrongForHooks(imported: Import, target: string | undefined): string | undefined {
  if (target === undefined) {
    return imported.specifier.startsWith("node:") ? undefined : `the package ${imported.specifier}`
  }
  const room = roomOf(target)
  const highest = ROOM_RANK.get(HIGHEST_FOR_HOOKS) ?? 0
  if (room === undefined || room === HOOKS || room === HIGHEST_FOR_HOOKS) return undefined
  return (ROOM_RANK.get(room) ?? 0) >= highest ? room : undefined
}

function hookFinding(source: Source, it: Import, wrong: string): Finding {
  return {
    where: `${source.path}:${it.line}`,
    wrong: `The hook process would load ${wrong}.`,
    instead: `Hooks load rooms up to ${HIGHEST_FOR_HOOKS} and no package: they start at each call.`,
  }
}
