import { z } from "zod"
import { type AppError, parseJsonRecord } from "#ground/base"
import { AgentRefused, SessionOver } from "../errors.ts"

const RpcId = z.union([z.string(), z.number()])
export type RpcId = z.infer<typeof RpcId>

const RpcMessage = z.object({
  id: RpcId.optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number().optional(), message: z.string() }).optional(),
})
type RpcMessage = z.infer<typeof RpcMessage>

export type RpcClient = ReturnType<typeof createRpcClient>

type RpcOptions = {
  readonly title: string
  /** Fields of every message; Codex omits `jsonrpc`, other hosts require it. */
  readonly envelope?: object
  write(message: object): void
}

export function parseRpcMessage(line: string): RpcMessage | undefined {
  return RpcMessage.safeParse(parseJsonRecord(line)).data
}

/** Requests to a host by JSON-RPC; messages from the host are parsed by the caller. */
export function createRpcClient({ title, envelope = {}, write }: RpcOptions) {
  const waiting = new Map<RpcId, PromiseWithResolvers<unknown> & { readonly method: string }>()
  let requests = 0

  return {
    notify(method: string, params?: object): void {
      write({ ...envelope, method, ...(params !== undefined && { params }) })
    },
    request(method: string, params: object): Promise<unknown> {
      requests += 1
      const pending = { ...Promise.withResolvers<unknown>(), method }
      waiting.set(requests, pending)
      write({ ...envelope, id: requests, method, params })
      return pending.promise
    },
    respond: (id: RpcId, result: object | null) => write({ ...envelope, id, result }),
    refuse: (id: RpcId, message: string, code = METHOD_NOT_FOUND) =>
      write({ ...envelope, id, error: { code, message } }),
    settle(id: RpcId, { result, error }: Pick<RpcMessage, "result" | "error">): void {
      const pending = waiting.get(id)
      waiting.delete(id)
      if (error === undefined) return pending?.resolve(result)
      const what = pending?.method ?? "a question"
      const refused = AgentRefused({ title, what, reason: error.message })
      pending?.reject(Object.assign(refused, { rpcCode: error.code }))
    },
    abandon(error: AppError = SessionOver({ title })): void {
      for (const pending of waiting.values()) pending.reject(error)
      waiting.clear()
    },
  }
}

const METHOD_NOT_FOUND = -32_601

export function rpcCodeOf(error: unknown): number | undefined {
  const isCoded = error instanceof Error && "rpcCode" in error
  return isCoded && typeof error.rpcCode === "number" ? error.rpcCode : undefined
}
