import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  isAppError,
  type Log,
  readTextBounded,
  writeFileAtomic,
} from "#ground/base"
import type { PreparedTables } from "#ground/tokens"
import { PREPARED_TABLE_LIMIT_BYTES } from "../limits.ts"

/** Rises when the form of the file or the version of the library changes. */
const FORM = "1-ai-tokenizer-1.0.6"

/** 64,000 strings are not looked at one by one: that would cost what the file saves. */
const List = z.custom<readonly string[]>((it) => isListOf(it, "string"))
const Numbers = z.custom<readonly number[]>((it) => isListOf(it, "number"))
const TablesFile = z.object({
  pattern: z.string(),
  texts: List,
  textRanks: Numbers,
  bytes: List,
  byteRanks: Numbers,
})

/** Token tables in the user's own folder; when that fails, the library's are loaded as ever. */
export function preparedTables(home: string, log: Log): PreparedTables {
  const fileOf = (encoding: string) => path.join(home, "cache", `tokens-${encoding}-${FORM}.json`)
  return {
    async read(encoding) {
      const limits = { maxBytes: PREPARED_TABLE_LIMIT_BYTES }
      const outcome = await readTextBounded(fileOf(encoding), limits)
      if (outcome.kind !== "read") return undefined
      const parsed = TablesFile.safeParse(parseOrNothing(outcome.text))
      const isWhole =
        parsed.success &&
        parsed.data.texts.length === parsed.data.textRanks.length &&
        parsed.data.bytes.length === parsed.data.byteRanks.length
      return isWhole ? parsed.data : undefined
    },
    async write(encoding, tables) {
      try {
        await ensureDirectory(path.join(home, "cache"))
        await writeFileAtomic(fileOf(encoding), JSON.stringify(tables))
      } catch (error) {
        if (!isAppError(error)) throw error
        log.debug("token table not kept", { code: error.code })
      }
    },
  }
}

function isListOf(value: unknown, what: "string" | "number"): boolean {
  if (!Array.isArray(value) || value.length === 0) return false
  const items: readonly unknown[] = value
  return typeof items[0] === what && typeof items.at(-1) === what
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
