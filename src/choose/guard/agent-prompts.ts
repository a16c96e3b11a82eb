import { hash } from "node:crypto"
import { join } from "node:path"
import {
  type Clock,
  ensureDirectory,
  listDirectory,
  parseJsonRecord,
  type Random,
  readTextBounded,
  removeEmptyDirectory,
  removeFile,
  statFile,
  tryRename,
  writeFileAtomic,
} from "#ground/base"
import { cutPrompt } from "./index-daemon.ts"

const LARGEST_RECORD_BYTES = 512 * 1024

/** A sub-agent starts within a second of its prompt; after an hour it never will. */
export const PROMPT_LIFE_MS = 60 * 60 * 1_000

/** More per session, or more sessions, means a loop. */
const MOST_WAITING_PROMPTS = 1_000

const MOST_WAITING_SESSIONS = 500

type PromptsDeps = {
  readonly stateDirectory: string
  readonly clock: Pick<Clock, "now">
  readonly random: Random
}

type PromptOwner = { readonly session: string; readonly agentType: string }

/**
 * Stores prompts between `before-agent` and `agent-start`, one private file each. A rename claims a
 * prompt, so each is taken once.
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

    async take(owner: PromptOwner): Promise<string | undefined> {
      const folder = folderOf(owner)
      const waiting = (await namesIn(folder)).filter(
        (it) => it.type === short(owner.agentType) && isYoung(it, clock.now()),
      )
      for (const { name } of waiting) {
        const own = join(folder, `taken-${Buffer.from(random.bytes(12)).toString("hex")}`)
        if (await tryRename(join(folder, name), own)) return readOnce(own, owner)
      }
      return undefined
    },
  }
}

async function readOnce(file: string, { agentType }: PromptOwner): Promise<string | undefined> {
  const read = await readTextBounded(file, { maxBytes: LARGEST_RECORD_BYTES })
  await removeFile(file)
  const record = (read.kind === "read" ? parseJsonRecord(read.text) : undefined) ?? {}
  const isWhole = record["agentType"] === agentType && typeof record["prompt"] === "string"
  return isWhole ? String(record["prompt"]) : undefined
}

type WaitingPrompt = { readonly name: string; readonly type: string; readonly at: number }

const NAME = /^([0-9a-z]{9})-([0-9a-f]{16})-[0-9a-f]{12}\.json$/

/** Oldest first; other names are no prompts, or are being claimed. */
async function namesIn(folder: string): Promise<readonly WaitingPrompt[]> {
  const listed = await listDirectory(folder, { maxEntries: MOST_WAITING_PROMPTS })
  if (listed.kind !== "listed") return []
  return listed.entries.flatMap(({ name }) => {
    const [, at = "", type = ""] = NAME.exec(name) ?? []
    return type === "" ? [] : [{ name, type, at: Number.parseInt(at, 36) }]
  })
}

function isYoung({ at }: WaitingPrompt, now: number): boolean {
  return Math.abs(now - at) < PROMPT_LIFE_MS
}

/** Delete unclaimed prompts; they may contain sensitive text. */
async function sweep(all: string, now: number): Promise<void> {
  const sessions = await listDirectory(all, { maxEntries: MOST_WAITING_SESSIONS, order: "disk" })
  if (sessions.kind !== "listed") return
  for (const { name } of sessions.entries) await sweepSession(join(all, name), now).catch(() => {})
}

async function sweepSession(folder: string, now: number): Promise<void> {
  const stat = await statFile(folder)
  const lastAt = stat.kind === "found" ? stat.stat.modifiedAtMs : now
  const old = (await namesIn(folder)).filter((it) => !isYoung(it, now))
  for (const it of old) await removeFile(join(folder, it.name))
  // A crashed process may have left a claimed prompt here.
  if (Math.abs(now - lastAt) > PROMPT_LIFE_MS) await removeFolder(folder)
}

async function removeFolder(folder: string): Promise<void> {
  const listed = await listDirectory(folder, { maxEntries: MOST_WAITING_PROMPTS })
  const entries = listed.kind === "listed" ? listed.entries : []
  for (const it of entries) await removeFile(join(folder, it.name))
  await removeEmptyDirectory(folder)
}

function short(text: string): string {
  return hash("sha256", Buffer.from(text, "utf16le")).slice(0, 16)
}
