import path from "node:path"
import {
  listDirectory,
  packageFile,
  parseJson,
  readBuilt,
  readTextBounded,
  statFile,
} from "#ground/base"
import type { Operation } from "#ground/contract"
import { BUILT_IN_COMMANDS, type Command } from "./command.ts"

const CONTRACT = packageFile("src/ground/contract")
const LARGEST_INDEX_BYTES = 4_000_000

/** Written by `npm run build`. */
export const COMMAND_INDEX = packageFile("dist/commands.json")

/**
 * All commands. Those of operations come from the index that the build wrote, so that help,
 * completion and typing errors load neither zod nor the descriptors (decision 0025). Without an
 * index, or in a clone with newer descriptors, they are derived from the descriptors.
 */
export async function loadCommands(index: string = COMMAND_INDEX): Promise<readonly Command[]> {
  return arrange(builtCommands() ?? (await readIndex(index)) ?? (await derivedCommands()))
}

function builtCommands(): readonly Command[] | undefined {
  const built = readBuilt("commands.json")
  return isCommandList(built) ? built : undefined
}

async function readIndex(file: string): Promise<readonly Command[] | undefined> {
  if (await checkIndexStale(file)) return undefined
  const read = await readTextBounded(file, { maxBytes: LARGEST_INDEX_BYTES })
  const index = read.kind === "read" ? parseJson(read.text) : undefined
  return isCommandList(index) ? index : undefined
}

/** The build of the same version wrote it, so a full check, which would load zod, is not needed. */
function isCommandList(index: unknown): index is readonly Command[] {
  return Array.isArray(index) && index.length > 0
}

/** Loads zod. Default: all operations of the product. */
export async function derivedCommands(
  operations?: readonly Operation[],
): Promise<readonly Command[]> {
  const { OPERATIONS } = await import("#ground/contract")
  const { deriveCommands } = await import("./derive-commands.ts")
  return deriveCommands(operations ?? Object.values(OPERATIONS))
}

/** Whether the index of a clone is missing or older than a descriptor. */
export async function checkIndexStale(index: string = COMMAND_INDEX): Promise<boolean> {
  const builtAt = await modifiedAt(index)
  if (builtAt === undefined) return true
  const times = await Promise.all((await sourceFiles()).map(modifiedAt))
  return times.some((it) => it !== undefined && it > builtAt)
}

async function sourceFiles(): Promise<readonly string[]> {
  const parts = ["operations", "shapes"].map((it) => path.join(CONTRACT, it))
  const folders = [CONTRACT, ...parts]
  const listings = await Promise.all(
    folders.map(async (folder) => {
      const listed = await listDirectory(folder)
      return listed.kind === "listed" ? listed.entries.map((it) => path.join(folder, it.name)) : []
    }),
  )
  return [...listings.flat(), packageFile("src/show/cli/derive-commands.ts")]
}

async function modifiedAt(file: string): Promise<number | undefined> {
  const outcome = await statFile(file)
  return outcome.kind === "found" ? outcome.stat.modifiedAtMs : undefined
}

/** The first commands of their topic in help. */
const LEADING = "now run send attach stop approve deny approvals init up open doctor".split(" ")

export function arrange(derived: readonly Command[]): readonly Command[] {
  const all = [...derived, ...BUILT_IN_COMMANDS]
  const rank = ({ words }: Command): number => {
    const place = words.length === 1 ? LEADING.indexOf(words[0] ?? "") : -1
    return place === -1 ? LEADING.length : place
  }
  return all.toSorted((a, b) => rank(a) - rank(b))
}
