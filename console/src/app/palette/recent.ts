import { recall, remember } from "../../ui/remember.ts"

const MOST_RECENT = 5

export function recentIds(): readonly string[] {
  return (recall("recent") ?? "").split("\n").filter(Boolean)
}

export function noteRecent(id: string): void {
  const ids = [id, ...recentIds().filter((it) => it !== id)]
  remember("recent", ids.slice(0, MOST_RECENT).join("\n"))
}
