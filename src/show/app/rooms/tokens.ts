import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  isAppError,
  type Log,
  parseJson,
  readTextBounded,
  writeFileAtomic,
} from "#ground/base"
import type { TokenUsage } from "#ground/contract"
import {
  costOf,
  createTokens,
  type PreparedTables,
  type Tokens,
  tokensHandlers,
} from "#ground/tokens"
import { describeUnreadable, FileUnreadable } from "../errors.ts"
import type { Services } from "../services.ts"

/** Larger than the window of any model. */
const COUNTED_FILE_LIMIT_BYTES = 50_000_000

/** A prepared token table: claude has 1.0 MB, o200k 3 MB. */
const PREPARED_TABLE_LIMIT_BYTES = 16 * 1024 * 1024

export function openTokensHandlers(deps: Pick<Services, "config" | "resolve" | "tokens">) {
  return tokensHandlers({
    tokens: deps.tokens,
    window: () => deps.config().tokens.window,
    async read(given) {
      const outcome = await readTextBounded(deps.resolve(given), {
        maxBytes: COUNTED_FILE_LIMIT_BYTES,
      })
      if (outcome.kind === "read") return { text: outcome.text, sizeBytes: outcome.bytes.length }
      const reason = describeUnreadable(outcome, COUNTED_FILE_LIMIT_BYTES)
      throw FileUnreadable({ path: given, reason })
    },
  })
}

/** US dollars by our price table; undefined for an unknown model. */
export function priceOf(usage: TokenUsage, model: string): number | undefined {
  const cost = costOf(
    {
      inputTokens: usage.input,
      outputTokens: usage.output,
      cacheReadTokens: usage.cacheRead,
      cacheWriteTokens: usage.cacheWrite,
    },
    model,
  )
  return cost.kind === "priced" ? cost.usd : undefined
}

/** Loading an encoding takes 20 ms or more, so it waits for the first count. */
export function lazyTokens(
  deps: Pick<Services, "config" | "places" | "log">,
): Pick<Tokens, "counter"> {
  const made = new Map<string, Tokens>()
  return {
    counter: () => {
      const { encoding } = deps.config().tokens
      const prepared = preparedTables(deps.places().home, deps.log)
      const tokens = made.get(encoding) ?? createTokens({ encoding, prepared })
      made.set(encoding, tokens)
      return tokens.counter()
    },
  }
}

/** Changed with the file format and with the library's version. */
const FORM = "1-ai-tokenizer-1.0.6"

/** Only the first and last items are checked: 64,000 checks would cost what the file saves. */
const List = z.custom<readonly string[]>((it) => isListOf(it, "string"))
const Numbers = z.custom<readonly number[]>((it) => isListOf(it, "number"))
const TablesFile = z.object({
  pattern: z.string(),
  texts: List,
  textRanks: Numbers,
  bytes: List,
  byteRanks: Numbers,
})

/** Token tables in the user's folder; if they fail, the library's are loaded. */
export function preparedTables(home: string, log: Log): PreparedTables {
  const fileOf = (encoding: string) => path.join(home, "cache", `tokens-${encoding}-${FORM}.json`)
  return {
    async read(encoding) {
      const limits = { maxBytes: PREPARED_TABLE_LIMIT_BYTES }
      const outcome = await readTextBounded(fileOf(encoding), limits)
      if (outcome.kind !== "read") return undefined
      const parsed = TablesFile.safeParse(parseJson(outcome.text))
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
        log.debug("token table not stored", { code: error.code })
      }
    },
  }
}

function isListOf(value: unknown, what: "string" | "number"): boolean {
  if (!Array.isArray(value) || value.length === 0) return false
  const items: readonly unknown[] = value
  return typeof items[0] === what && typeof items.at(-1) === what
}
