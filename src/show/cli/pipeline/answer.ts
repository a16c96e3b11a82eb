import type { PipelineRun } from "#ground/contract"
import { readTyped } from "../read-typed.ts"
import { pauseCard } from "../render/pipelines.ts"
import type { RunContext } from "../run-operation.ts"

type Answer = { readonly operation: string; readonly input: Readonly<Record<string, unknown>> }
type Call = { readonly context: RunContext }

/** The three choices of a pause as keys; anything else waits for one of them. */
export async function readAnswer(run: PipelineRun, { context }: Call): Promise<Answer | undefined> {
  const { terminal, screen } = context
  const { readKey, signal, stdout } = terminal
  if (run.pause === null || readKey === undefined) return undefined
  const { id } = run
  stdout.write(`\n${pauseCard(run.pause, screen).join("\n")}\n`)
  for (;;) {
    const key = await readKey(signal)
    if (key === undefined || key === "q") return undefined
    if (run.pause.isConfirmingExit && (key === "1" || key === "2")) {
      return { operation: "pipeline.say", input: { id, text: key } }
    }
    if (key === "1") return { operation: "pipeline.resume", input: { id } }
    if (key === "3") return { operation: "pipeline.say", input: { id, text: "3" } }
    if (key !== "2") continue
    stdout.write(screen.paint.muted("What should be different? "))
    const text = await readTyped({
      readKey,
      signal,
      echo: (it) => stdout.write(it),
      end: () => stdout.write("\n"),
    })
    if (text === undefined) return undefined
    if (text.trim() !== "") return { operation: "pipeline.amend", input: { id, text } }
  }
}
