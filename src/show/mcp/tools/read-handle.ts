import { z } from "zod"
import { FoldRead } from "#ground/contract"
import { meterBody, sayBody } from "./body.ts"
import { sayRead } from "./say-fold.ts"
import { ask, BODY, defineTool, session_id } from "./tool.ts"

export const readHandle = defineTool({
  name: "read_handle",
  set: "core",
  title: "Read what a handle keeps",
  description:
    "Read a slice of a large result that is kept under a handle, or the lines of it that have all words of a query. A branch_id reads that branch's trail.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    handle: z.string().max(200),
    from_line: z.int().positive().optional(),
    lines: z.int().min(1).max(2_000).optional().describe("Default 200"),
    query: z.string().min(1).max(500).optional(),
    session_id,
  }),
  output: z.object({
    handle: z.string(),
    total_lines: z.int(),
    total_tokens: z.int(),
    from_line: z.int(),
    next_line: z.int().optional(),
    matches: z.int().optional(),
    text: z.string(),
    notice: BODY.notice,
  }),
  async call(input, call) {
    const read = FoldRead.parse(
      await ask(call, "fold.read", {
        handle: input.handle,
        fromLine: input.from_line,
        lines: input.lines,
        query: input.query,
        sessionId: input.session_id,
      }),
    )
    // What is read enters the window and is charged. A slice is smaller than what is kept under a
    // handle, so it never comes back as one.
    const { text, notice } = await meterBody(
      {
        tool: "read_handle",
        given: input,
        label: read.label,
        text: sayRead(read, input.query),
      },
      call,
    )
    return {
      text: sayBody({ text, ...(notice !== undefined && { notice }) }),
      fields: {
        handle: read.handle,
        total_lines: read.totalLines,
        total_tokens: read.totalTokens,
        from_line: read.fromLine,
        ...(read.nextLine !== null && { next_line: read.nextLine }),
        ...(input.query !== undefined && { matches: read.matches.length }),
        text,
        notice,
      },
    }
  },
})
