import type { Config, GatewayRequest } from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import type { PreparedRequest } from "../proxy/exchange.ts"
import { secretKindsIn } from "./secret-guard.ts"

type FoundSecrets = Pick<GatewayRequest, "areSecretsReplaced" | "secrets">

type ReportDeps = {
  readonly secretMode: Config["gateway"]["secrets"]
  secrets(): Promise<Pick<Secrets, "locate">>
  tell(text: string): void
}

export type SecretReport = ReturnType<typeof createSecretReport>

/**
 * The secrets of a recorded request: in mode `replace` those that left as placeholders, in mode
 * `warn` those of new items, with one notice for each kind and proxied session.
 */
export function createSecretReport({ secretMode, secrets, tell }: ReportDeps) {
  const toldKinds = new Set<string>()
  return async (
    texts: readonly { readonly text: string }[],
    prepared: PreparedRequest | undefined,
  ): Promise<FoundSecrets> => {
    const replaced = secretKindsIn(prepared)
    if (replaced.length > 0) return { secrets: [...replaced], areSecretsReplaced: true }
    if (secretMode !== "warn" || texts.length === 0) return {}
    const { locate } = await secrets()
    const counts = new Map<string, number>()
    for (const { text } of texts) {
      for (const { kind } of locate(text)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    if (counts.size === 0) return {}
    const fresh = [...counts.keys()].filter((it) => !toldKinds.has(it))
    for (const kind of fresh) toldKinds.add(kind)
    if (fresh.length > 0) tell(noticeOf(fresh))
    const kinds = [...counts].map(([kind, count]) => ({ kind, count }))
    return { secrets: kinds, areSecretsReplaced: false }
  }
}

function noticeOf(kinds: readonly string[]): string {
  return (
    `A request contained secrets (${kinds.join(", ")}), which were sent to the provider. ` +
    "To send placeholders instead, run `qm config set gateway.secrets replace`."
  )
}
