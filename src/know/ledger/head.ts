/** What the head of a memory's file says, as far as lists need it; empty for what it does not say. */
export type MemoryHead = {
  readonly id: string
  readonly title: string
  /** Who has no head is no memory, and in no state. */
  readonly state: string
  readonly created: string
}

/** By hand: a YAML reader is a package, and only some lines of the head are wanted. */
export function readHead(text: string): MemoryHead {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1]
  const field = (name: string) => {
    const [, given = ""] = new RegExp(`^${name}:[ \\t]*(.+)$`, "m").exec(head ?? "") ?? []
    return unquoted(given.trim())
  }
  const [, heading = ""] = /^# (.+)$/m.exec(text) ?? []
  const isReplaced = !["", "null", "~"].includes(field("superseded_by"))
  const state = isReplaced ? "superseded" : field("state") || "proposed"
  return {
    id: field("id"),
    title: field("title") || heading.trim(),
    state: head === undefined ? "" : state,
    created: field("created"),
  }
}

function unquoted(text: string): string {
  const [, double, single] = /^(?:"(.*)"|'(.*)')$/.exec(text) ?? []
  if (double !== undefined) return double.replace(/\\(["\\])/g, "$1")
  return single === undefined ? text : single.replaceAll("''", "'")
}
