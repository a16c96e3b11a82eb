import type { ContextPart } from "#ground/contract"
import type { Turn } from "./state.ts"

/**
 * What an agent is told, with the session's context parts in front. A command of the host, such as
 * `/compact`, is one only at the very beginning, so nothing is put before it.
 */
export function composeTurn(
  words: string,
  parts: readonly ContextPart[],
  redact: (text: string) => string,
): Turn {
  const used = words.startsWith("/") ? [] : parts
  const shown = used.map(({ label, tokens, pack }) =>
    pack === undefined ? { label, tokens } : { label, tokens, pack },
  )
  return {
    text: [...used.map(sayPart), words].join("\n\n"),
    draft: {
      type: "user",
      role: "user",
      content: redact(words),
      metadata: shown.length === 0 ? {} : { parts: shown },
    },
  }
}

function sayPart({ label, text }: ContextPart): string {
  return `<context label="${label}">\n${text}\n</context>`
}
