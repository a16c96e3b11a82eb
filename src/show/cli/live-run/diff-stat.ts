/** A unified diff in a few characters: `+3 −2 src/total.ts`; a path that the title has is left out. */
export function diffStat(diff: string, title: string): string {
  let added = 0
  let removed = 0
  let isInHead = true
  const files = new Set<string>()
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) isInHead = false
    else if (/^(?:diff |--- a\/|--- \/dev\/null)/.test(line)) isInHead = true
    if (isInHead && line.startsWith("+++ ")) files.add(line.slice(4).replace(/^b\//, ""))
    if (isInHead) continue
    if (line.startsWith("+")) added += 1
    if (line.startsWith("-")) removed += 1
  }
  const [only = ""] = files
  const where = files.size > 1 ? `${files.size} files` : only
  const counts = `+${added} −${removed}`
  return where === "" || title.includes(where) ? counts : `${counts} ${where}`
}
