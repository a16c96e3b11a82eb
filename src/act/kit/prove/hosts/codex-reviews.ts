import { createInterface } from "node:readline"
import { z } from "zod"
import { start } from "#ground/base"
import { LONGEST_QUESTION_MS } from "../limits.ts"
import { parseJson } from "../parse-json.ts"
import { codexEnvironment } from "./codex-environment.ts"
import type { Reasons, Stage } from "./told.ts"

const Hook = z.looseObject({
  eventName: z.string(),
  command: z.string().nullish(),
  enabled: z.boolean(),
  trustStatus: z.string(),
})
type Hook = z.infer<typeof Hook>

const Listed = z.looseObject({
  id: z.literal(2),
  result: z.looseObject({ data: z.array(z.looseObject({ hooks: z.array(Hook) })) }),
})

/** What Codex itself says of its hooks: whether a person has reviewed them as they are now. */
export async function readReviews(stage: Stage): Promise<Reasons> {
  const hooks = await listHooks(stage)
  return (event) => {
    const wanted = `${event.slice(0, 1).toLowerCase()}${event.slice(1)}`
    return sayReview(hooks.find((it) => it.eventName === wanted && isOurs(it.command)))
  }
}

export function sayReview(hook: Pick<Hook, "enabled" | "trustStatus"> | undefined): string {
  if (hook === undefined) return "Codex ran and does not list this hook; run `qm init` again."
  if (!hook.enabled) return "It is switched off in Codex: open `codex`, type /hooks, switch it on."
  switch (hook.trustStatus) {
    case "untrusted":
      return "Codex skips it until you have reviewed it: open `codex`, type /hooks and trust it."
    case "modified":
      return "It changed since you reviewed it: open `codex`, type /hooks and trust it again."
    default:
      return "Codex ran and did not start it, although it is reviewed."
  }
}

function isOurs(command: string | null | undefined): boolean {
  return command?.includes("qm-hook") ?? false
}

/** Its server answers on the line and ends when nothing more comes; it is ended here in any case. */
async function listHooks(stage: Stage): Promise<readonly Hook[]> {
  const { scene, program, signal } = stage
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_QUESTION_MS)])
  const started = await start(program, ["app-server"], {
    cwd: scene.root,
    env: codexEnvironment(stage),
    stdin: "pipe",
    signal: limit,
  })
  if (started.kind !== "started") return []
  await using child = started.child
  child.stderr.resume()
  child.stdin?.on("error", () => {})
  for (const message of questions(scene.root)) child.stdin?.write(`${JSON.stringify(message)}\n`)
  for await (const line of createInterface({ input: child.stdout })) {
    const listed = Listed.safeParse(parseJson(line))
    if (listed.success) return listed.data.result.data.flatMap((it) => it.hooks)
  }
  return []
}

function questions(root: string): readonly object[] {
  const clientInfo = { name: "quartermaster", title: "Quartermaster", version: "1" }
  return [
    { id: 1, method: "initialize", params: { clientInfo } },
    { method: "initialized" },
    { id: 2, method: "hooks/list", params: { cwds: [root] } },
  ]
}
