import type { HostStatus } from "../../contract.ts"
import { useOperation } from "../queries.tsx"

export const connectCommand = (host: HostStatus["name"]): string => `qm init --host ${host}`

/** The one command that connects an agent: the first one found, preferably not connected yet. */
export function useConnectCommand(): string {
  const offered = (useOperation("hosts.list", {}).data?.hosts ?? []).filter(
    (it) => it.isInstalled && it.hooks !== "not offered",
  )
  const host = offered.find((it) => it.hooks === "none") ?? offered[0]
  return connectCommand(host?.name ?? "claude-code")
}
