import { MOST_DOORS, MOST_DOORS_IN_A_ROW } from "../limits.ts"
import type { FollowedImport, TreeGraph } from "./graph.ts"

/**
 * What a file reaches by its imports. Many packages have a door, such as an index.ts or a module's
 * first file, that hands names on from the files behind it: those are where a name leads.
 */
export function createDoors(graph: TreeGraph, definersOf: (name: string) => ReadonlySet<number>) {
  const reached = new Map<number, Promise<ReadonlySet<number>>>()
  const importsOf = async (from: number) => (await graph.imports([from])).get(from) ?? []

  /** Files that are imported, and those behind them that define what is asked for by name. */
  async function reach(from: number): Promise<ReadonlySet<number>> {
    const own = await importsOf(from)
    const files = new Set(positionsOf(own))
    const handed = await handedOn(graph, own)
    const definers = await graph.definers(handed.map((it) => it.name))
    for (const { name, positions } of handed) {
      const defining = definers.get(name) ?? new Set()
      for (const it of await behind(graph, positions, { name, defining })) files.add(it)
    }
    return files
  }

  return {
    /** Files that define the name where an import asks for it by name. */
    async asked(from: number, name: string): Promise<readonly number[]> {
      const asking = (await importsOf(from)).filter((it) => asksFor(it, name))
      return behind(graph, positionsOf(asking), { name, defining: definersOf(name) })
    },
    /** Files that define the name among all that the imports of a file lead to. */
    async reached(from: number, name: string): Promise<readonly number[]> {
      const defining = definersOf(name)
      const reaching = reached.get(from) ?? reach(from)
      reached.set(from, reaching)
      const files = await reaching
      const direct = [...files].filter((it) => defining.has(it)).toSorted((a, b) => a - b)
      if (direct.length > 0) return direct
      return behind(graph, positionsOf(await importsOf(from)), { name, defining })
    },
  }
}

type Handed = { readonly name: string; readonly positions: readonly number[] }

/**
 * What is asked for by name of files that hand it on. Every other name ends at the file it is
 * imported from, whoever defines it: looking that up for each would be most of the work.
 */
async function handedOn(
  graph: TreeGraph,
  own: readonly FollowedImport[],
): Promise<readonly Handed[]> {
  const doors = await graph.imports(positionsOf(own))
  return own.flatMap(({ names = [], positions }) => {
    const behindThem = positions.flatMap((it) => doors.get(it) ?? [])
    return [...new Set(names)]
      .filter((name) => behindThem.some((it) => handsOn(it, name)))
      .map((name) => ({ name, positions }))
  })
}

/** `import { Tug } from "quay"`, or `import quay.Tug`. */
function asksFor({ names, specifier }: FollowedImport, name: string): boolean {
  return names?.includes(name) ?? specifier.split(/[.:/\\]+/).at(-1) === name
}

/** The first files on the way, door by door, that define the name. */
async function behind(
  graph: TreeGraph,
  start: readonly number[],
  { name, defining }: { readonly name: string; readonly defining: ReadonlySet<number> },
): Promise<readonly number[]> {
  if (defining.size === 0) return []
  let front = start
  const seen = new Set(front)
  for (let step = 0; step <= MOST_DOORS_IN_A_ROW && front.length > 0; step++) {
    const found = front.filter((it) => defining.has(it))
    if (found.length > 0) return found
    if (seen.size > MOST_DOORS) return []
    const imports = await graph.imports(front)
    const next = [...imports.values()].flat().filter((it) => handsOn(it, name))
    front = positionsOf(next).filter((it) => !seen.has(it))
    for (const it of front) seen.add(it)
  }
  return []
}

function positionsOf(imports: readonly FollowedImport[]): readonly number[] {
  return [...new Set(imports.flatMap((it) => it.positions))]
}

function handsOn({ names }: FollowedImport, name: string): boolean {
  return names?.some((it) => it === name || it === "*") ?? false
}
