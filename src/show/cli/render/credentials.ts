import type { Credentials } from "#ground/contract"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"
import { oneLine } from "./lines.ts"

/** Names and times; there is nothing else to show. */
export function renderCredentials(kept: Credentials, { paint }: Screen): string {
  const { credentials, keptBy, warning } = kept
  if (credentials.length === 0) {
    return paint.muted("No credential is set. `qm credential set <name>` keeps one, encrypted.")
  }
  const rows = credentials.map((it) => [it.name, paint.muted(`set ${sayTime(it.setAt)}`)])
  return [
    table(rows),
    "",
    paint.muted(`Encrypted; the key comes from the ${keptBy}.`),
    ...(warning === null ? [] : [`${paint.warn("warn")}  ${oneLine(warning, 400)}`]),
  ].join("\n")
}
