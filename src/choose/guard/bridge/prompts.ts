import { hash } from "node:crypto"
import { join } from "node:path"
import {
  type Clock,
  ensureDirectory,
  listDirectory,
  type Random,
  readTextBounded,
  removeEmptyDirectory,
  removeFile,
  renameFile,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import {
  LARGEST_RECORD_BYTES,
  MOST_WAITING_PROMPTS,
  MOST_WAITING_SESSIONS,
  PROMPT_LIFE_MS,
} from "./limits.ts"
import { cutPrompt, fieldsOf } from "./question.ts"

export type PromptsDeps = {
  readonly stateDirectory: string
  readonly clock: Pick<Clock, "now">
  readonly random: Random
}

/** Whose prompt it is: all that a host says when a sub-agent starts. */
export type PromptOwner = { readonly session: string; readonly agentType: string }

/**
 * Prompts between the moment a host is about to start a sub-agent and the moment it does. One file
 * each, taken once: a rename has one winner. They are private, and gone when they are taken.
 */
export function createPrompts({ stateDirectory, clock, random }: PromptsDeps) {
  const all = join(stateDirectory, "agents")
  const folderOf = ({ session }: PromptOwner) => join(all, short(session))

  return {
    async put(owner: PromptOwner, prompt: string): Promise<void> {
      const folder = folderOf(owner)
      await sweep(all, clock.now())
      await ensureDirectory(folder)
      const chance = Buffer.from(random.bytes(6)).toString("hex")
      const at = clock.now()
      const name = `${at.toString(36).padStart(9, "0")}-${short(owner.agentType)}-${chance}.json`
      const record = { agentType: owner.agentType, prompt: cutPrompt(prompt), at }
      await writeFileAtomic(join(folder, name), JSON.stringify(record))
    },

    /** The oldest that waits for such a start; undefined when none does, or what is there is damaged. */
    async take(owner: PromptOwner): Promise<string | undefined> {
      const folder = folderOf(owner)
      const waiting = (await namesIn(folder)).filter(
        (it) => it.type === short(owner.agentType) && isYoung(it, clock.now()),
      )
      for (const { name } of waiting) {
        const own = join(folder, `taken-${Buffer.from(random.bytes(12)).toString("hex")}`)
        if (await claimPrompt(join(folder, name), own)) return readOnce(own, owner)
      }
      return undefined
    },
  }
}

/** False when another start was faster. */
async function claimPrompt(file: string, own: string): Promise<boolean> {
  try {
    return (await renameFile(file, own)).kind === "renamed"
  } catch {
    return false
  }
}

async function readOnce(file: string, { agentType }: PromptOwner): Promise<string | undefined> {
  const read = await readTextBounded(file, { maxBytes: LARGEST_RECORD_BYTES })
  await removeFile(file)
  const record = read.kind === "read" ? fieldsOf(read.text) : {}
  const isWhole = record["agentType"] === agentType && typeof record["prompt"] === "string"
  return isWhole ? String(record["prompt"]) : undefined
}

type Waiting = { readonly name: string; readonly type: string; readonly at: number }

const NAME = /^([0-9a-z]{9})-([0-9a-f]{16})-[0-9a-f]{12}\.json$/

/** The oldest first. What has no such name is not ours, or is being taken. */
async function namesIn(folder: string): Promise<readonly Waiting[]> {
  const listed = await listDirectory(folder, { maxEntries: MOST_WAITING_PROMPTS })
  if (listed.kind !== "listed") return []
  return listed.entries.flatMap(({ name }) => {
    const [, at = "", type = ""] = NAME.exec(name) ?? []
    return type === "" ? [] : [{ name, type, at: Number.parseInt(at, 36) }]
  })
}

function isYoung({ at }: Waiting, now: number): boolean {
  return Math.abs(now - at) < PROMPT_LIFE_MS
}

/** What nobody took lies in the way of nobody, but it is a text that should not lie about. */
async function sweep(all: string, now: number): Promise<void> {
  const sessions = await listDirectory(all, { maxEntries: MOST_WAITING_SESSIONS, order: "disk" })
  if (sessions.kind !== "listed") return
  for (const { name } of sessions.entries) await sweepSession(join(all, name), now).catch(() => {})
}

async function sweepSession(folder: string, now: number): Promise<void> {
  const found = await statFile(folder)
  const lastAt = found.kind === "found" ? found.stat.modifiedAtMs : now
  const old = (await namesIn(folder)).filter((it) => !isYoung(it, now))
  for (const it of old) await removeFile(join(folder, it.name))
  // In one that nobody wrote to for so long lies at most what a dead process had taken.
  if (Math.abs(now - lastAt) > PROMPT_LIFE_MS) await removeFolder(folder)
}

async function removeFolder(folder: string): Promise<void> {
  const listed = await listDirectory(folder, { maxEntries: MOST_WAITING_PROMPTS })
  const entries = listed.kind === "listed" ? listed.entries : []
  for (const it of entries) await removeFile(join(folder, it.name))
  await removeEmptyDirectory(folder)
}

/** As the file's name of any text. */
function short(text: string): string {
  return hash("sha256", Buffer.from(text, "utf16le")).slice(0, 16)
}
