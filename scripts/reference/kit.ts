import { globSync, readFileSync } from "node:fs"
import path from "node:path"
import { readTemplates } from "#act/kit"
import { createTokens } from "#ground/tokens"
import { type Command, loadCommands } from "#show/cli"
import { code, pageHead, table } from "./markdown.ts"

const ABOUT = `The commands, agents, skills and playbooks in [templates](../../templates/README.md), which \`qm init\` installs by level
and \`qm packs\` adds or removes. Each rests on operations that have a test of their effect. Tokens are those of the name and the
description in a listing at session start; nothing else of a file is loaded before it is used.`

/** One row for each template: its operations, the first test file of each, and its tokens at start. */
export async function kitPage(root: string): Promise<string> {
  const templates = await readTemplates(path.join(root, "templates"))
  const commands = await loadCommands()
  const testOf = findTests(root)
  const { count } = await createTokens({ encoding: "claude" }).counter()
  const sorted = templates.toSorted(
    (a, b) => rankOf(a.kind) - rankOf(b.kind) || compare(a.pack, b.pack) || compare(a.name, b.name),
  )
  const lines = sorted.map((it) => `- qm-${it.name}: ${it.description}`)
  const rows = sorted.map((it, at) => {
    const operations = operationsIn(it.body, commands)
    const tests = [...new Set(operations.map((one) => testOf(one) ?? "none"))]
    return [
      code(it.name),
      it.kind,
      it.pack,
      String(it.level),
      operations.map(code).join(" "),
      tests.map(code).join(" "),
      String(count(lines[at] ?? "")),
    ]
  })
  const head = ["Name", "Kind", "Pack or squad", "Level", "Operations", "Tests", "Tokens"]
  const total = `All together: ${count(lines.join("\n"))} tokens at start (encoding \`claude\`), ${templates.length} files.`
  return `${pageHead("Commands, agents and playbooks of the kit", ABOUT)}\n${table(head, rows)}\n${total}\n`
}

const KINDS = ["command", "skill", "agent", "playbook"]

function rankOf(kind: string): number {
  return KINDS.indexOf(kind)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** The operations of the `qm` lines in a text, in their order. */
export function operationsIn(body: string, commands: readonly Command[]): readonly string[] {
  const lines = [...body.matchAll(/`qm ([^`]+)`/g)].map(([, line = ""]) => line.split(/\s+/))
  const operations = lines.flatMap((words) => {
    const matching = commands.filter((it) => it.words.every((word, at) => words[at] === word))
    const longest = matching.toSorted((a, b) => b.words.length - a.words.length)[0]
    return longest?.operation ?? []
  })
  return [...new Set(operations)]
}

/** The first test that calls an operation by its name, or runs its command line. */
export function findTests(root: string): (operation: string) => string | undefined {
  const files = globSync("{src,test}/**/*.test.ts", { cwd: root })
    .toSorted()
    .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }))
  return (operation) => {
    const [group = "", verb = ""] = operation.split(".")
    const forms = [`"${operation}"`, `"${group}", "${verb}"`, `handlers.${verb}(`]
    for (const form of forms) {
      const own = files.filter((it) => it.text.includes(form))
      const near = own.find((it) => it.file.includes(`/${group}`)) ?? own[0]
      if (near !== undefined) return near.file
    }
    // A room's own tests call its functions: `board.approve(…)`, `kit.packs()`.
    const room = ROOM_OF[group]
    const inRoom = files.filter((it) => room !== undefined && it.file.startsWith(room))
    const called = [`.${verb}(`, `.${group}(`, `${group}`]
    return called.flatMap((form) => inRoom.find((it) => it.text.includes(form))?.file ?? [])[0]
  }
}

const ROOM_OF: Readonly<Record<string, string>> = {
  autonomy: "src/know/board/autonomy",
  board: "src/know/board",
  plan: "src/show/app/rooms/plans",
  dashboard: "src/show/app/dashboard",
  fleet: "src/show/app/fleet",
  guidelines: "src/choose/pack",
  pack: "src/choose/pack",
  packs: "src/act/kit",
  review: "src/act/review/review.test.ts",
  scaffold: "test/scenarios/scaffold-tests.test.ts",
  sync: "src/act/review/sync.test.ts",
  ticket: "src/know/board",
}
