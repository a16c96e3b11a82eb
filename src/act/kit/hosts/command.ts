import { HOOK_TIMEOUT_SECONDS } from "../limits.ts"
import type { Fields } from "../texts/json-text.ts"
import type { HookProgram } from "./host.ts"

/** A program with its arguments, no shell between: nothing in a path is ever read as a word of one. */
export function execHandler({ node, bundle }: HookProgram, args: readonly string[]): Fields {
  return {
    type: "command",
    command: node,
    args: [bundle, ...args],
    timeout: HOOK_TIMEOUT_SECONDS,
  }
}

/** For hosts that hand the line to a shell: each word in single quotes. */
export function shellHandler({ node, bundle }: HookProgram, args: readonly string[]): Fields {
  const command = [node, bundle, ...args].map(quoted).join(" ")
  return { type: "command", command, timeout: HOOK_TIMEOUT_SECONDS }
}

/** In single quotes a POSIX shell reads no sign but the quote itself. */
function quoted(word: string): string {
  return `'${inQuotes(word)}'`
}

function inQuotes(word: string): string {
  return word.replaceAll("'", `'\\''`)
}

/** Whether a text leads into our own folder, as a bare path or as a shell has it. */
export function leadsInto(folder: string): (text: string) => boolean {
  const wanted = [`${folder}/`, `${inQuotes(folder)}/`]
  return (text) => wanted.some((it) => text.includes(it))
}
