import { readFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import { AgentsApprovals, AgentsExport, AgentsList, type Approval, Run } from "#ground/contract"
import { type Asked, send } from "#test/server"

type Reached = { readonly home: string; readonly port: number }

/** The runs of a world as a script would ask for them, beside the browser that is under test. */
export function runsOf(world: Reached) {
  const ask = async <Shape extends z.ZodType>(shape: Shape, asked: Asked) => {
    const token = (await readFile(path.join(world.home, ".qm", "token"), "utf8")).trim()
    const { status, text } = await send(world.port, {
      ...asked,
      headers: { authorization: `Bearer ${token}` },
    })
    if (status !== 200) throw new Error(`${asked.path} answers ${status}: ${text}`)
    return shape.parse(JSON.parse(text))
  }
  const read = <Shape extends z.ZodType>(shape: Shape, operation: string, query: string) =>
    ask(shape, { path: `/api/agents/${operation}?${query}` })
  const write = <Shape extends z.ZodType>(shape: Shape, operation: string, input: object) =>
    ask(shape, {
      method: "POST",
      path: `/api/agents/${operation}`,
      body: JSON.stringify(input),
    })
  return {
    /** A run of the synthetic agent that plays these events without a pause. */
    play: (prompt: string, events: readonly object[]) =>
      write(Run, "start", { type: "synthetic", prompt, mode: "ask", script: scriptOf(events) }),
    list: async (): Promise<readonly Run[]> => (await read(AgentsList, "list", "")).runs,
    show: (id: string) => read(Run, "show", `id=${id}`),
    edit: (id: string, change: object) => write(Run, "edit", { id, ...change }),
    approvals: async (run: string): Promise<readonly Approval[]> =>
      (await read(AgentsApprovals, "approvals", `run=${run}`)).approvals,
    answer: (id: string, decision: "allow" | "deny") =>
      write(z.unknown(), "answer", { id, decision }),
    exportHtml: async (id: string) => {
      const { text } = await read(AgentsExport, "export", `id=${id}&format=html`)
      if (text === null) throw new Error("the export has no text")
      return text
    },
  }
}

export const scriptOf = (events: readonly object[]): string =>
  events.map((it) => JSON.stringify({ after: 0, ...it })).join("\n")
