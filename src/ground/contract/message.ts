import { z } from "zod"

const MessageType = z.enum(["assistant", "user", "system", "error", "tool", "response", "context"])
type MessageType = z.infer<typeof MessageType>

/** Ordered by `seq`, never by time. */
export const Message = z.object({
  id: z.string(),
  seq: z.int().positive(),
  type: MessageType,
  role: z.enum(["user", "assistant", "system", "tool"]),
  content: z.string(),
  timestamp: z.int(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  raw: z.string().optional().describe("The host's own JSON"),
})
export type Message = z.infer<typeof Message>
