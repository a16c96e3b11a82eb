import type {
  CountedText,
  Handlers,
  OperationOutput,
  ParsedInput,
  TokenScale,
  tokensOperations,
} from "#ground/contract"
import { createLongCounter, isLong } from "./count-long.ts"
import { NothingToCount, TooManyPaths } from "./errors.ts"
import { MOST_COUNTED_PATHS } from "./limits.ts"
import { scaleCounter, scaleTokens } from "./model-scale.ts"
import type { Tokens } from "./tokens.ts"

/**
 * The caller's `read` decides which files may be read; this room does not read the working tree.
 */
type ReadFile = { readonly text: string; readonly sizeBytes: number }

type CountDeps = {
  readonly tokens: Pick<Tokens, "counter">
  /** Null if tokens of the encoding are to be counted. */
  scale(model: string | undefined): Promise<TokenScale | null>
  /** Size of the context window; used for shares if the call has no budget. */
  window(): number
  read(path: string, options: { readonly signal: AbortSignal }): Promise<ReadFile>
}

export const tokensHandlers = (deps: CountDeps): Handlers<typeof tokensOperations> => ({
  count: (input, { signal }) => countAll(input, deps, signal),
})

async function countAll(
  input: ParsedInput<"tokens.count">,
  deps: CountDeps,
  signal: AbortSignal,
): Promise<OperationOutput<"tokens.count">> {
  const { paths, text, budget = deps.window() } = input
  if (paths.length === 0 && text === undefined) throw NothingToCount({})
  if (paths.length > MOST_COUNTED_PATHS) throw TooManyPaths({ paths: paths.length })

  const scale = await deps.scale(input.model)
  const counter = scaleCounter(await deps.tokens.counter(), scale)
  const sized = (tokens: number, bytes: number) => ({ tokens, bytes, share: tokens / budget })
  await using long = createLongCounter(counter.encoding)
  const count = async (counted: string) =>
    isLong(counted) ? scaleTokens(await long.count(counted), scale) : counter.count(counted)
  const files: CountedText[] = []
  for (const path of paths) {
    signal.throwIfAborted()
    const file = await deps.read(path, { signal })
    files.push({ path, ...sized(await count(file.text), file.sizeBytes) })
  }
  if (text !== undefined) files.push(sized(await count(text), Buffer.byteLength(text)))
  return {
    files,
    total: sized(sum(files, "tokens"), sum(files, "bytes")),
    budget,
    encoding: counter.encoding,
    scale,
    exact: counter.exact,
    meaning: counter.describe(),
  }
}

function sum(files: readonly CountedText[], field: "tokens" | "bytes"): number {
  return files.reduce((total, it) => total + it[field], 0)
}
