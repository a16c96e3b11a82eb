import { type Header } from "./proxy/exchange.ts"

/** Undefined unless it is printable ASCII. */
export function sessionIn(headers: readonly Header[]): string | undefined {
  const session = headerOf(headers, "x-claude-code-session-id") ?? headerOf(headers, "session-id")
  return session !== undefined && /^[\x21-\x7e]{1,200}$/.test(session) ? session : undefined
}

export function agentIn(headers: readonly Header[]): string {
  return headerOf(headers, "x-claude-code-agent-id") ?? ""
}

export function headerOf(headers: readonly Header[], headerName: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === headerName)?.[1]
}
