import { z } from "zod"

const MessageType = z.enum(["assistant", "user", "system", "error", "tool", "response", "context"])
type MessageType = z.infer<typeof MessageType>

/** One line of an agent's transcript. The order is `seq`, never the clock. */
export const Message = z.object({
  id: z.string(),
  seq: z.int().positive(),
  type: MessageType,
  role: z.enum(["user", "assistant", "system", "tool"]),
  content: z.string(),
  timestamp: z.int(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  raw: z.string().optional().describe("The host's own words as JSON text"),
})
export type Message = z.infer<typeof Message>
