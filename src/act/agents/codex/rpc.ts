import type { AppError } from "#ground/base"
import { AgentRefused, SessionOver } from "../wire/errors.ts"
import type { RpcId } from "./shapes.ts"

export type RpcClient = ReturnType<typeof createRpc>

/** Our questions to the host, each with the answer it waits for. */
export function createRpc(title: string, write: (message: object) => void) {
  const waiting = new Map<RpcId, PromiseWithResolvers<unknown> & { readonly method: string }>()
  let asked = 0

  return {
    notify: (method: string) => write({ method }),
    request(method: string, params: object): Promise<unknown> {
      asked += 1
      const pending = { ...Promise.withResolvers<unknown>(), method }
      waiting.set(asked, pending)
      write({ id: asked, method, params })
      return pending.promise
    },
    respond: (id: RpcId, result: object) => write({ id, result }),
    refuse: (id: RpcId, message: string) => write({ id, error: { code: -32_601, message } }),
    /** An answer of the host; one to a question we did not ask is dropped. */
    settle(
      id: RpcId,
      answer: { readonly result: unknown; readonly error?: string | undefined },
    ): void {
      const pending = waiting.get(id)
      waiting.delete(id)
      if (answer.error === undefined) return pending?.resolve(answer.result)
      const what = pending?.method ?? "a question"
      pending?.reject(AgentRefused({ title, what, reason: answer.error }))
    },
    /** Nobody will answer any more. */
    abandon(error: AppError = SessionOver({ title })): void {
      for (const pending of waiting.values()) pending.reject(error)
      waiting.clear()
    },
  }
}
