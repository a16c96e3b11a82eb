import { paths, type RunsParams, runsParams } from "../../data/paths.ts"
import { recall, remember } from "../../ui/remember.ts"

/** Before views were in the store, they were in this browser; they are still listed. */
export type SavedView = { readonly name: string; readonly params: string }

const MOST_VIEWS = 20
const KEY = "runs.views"

export function savedViews(): readonly SavedView[] {
  return readViews(recall(KEY))
}

export function readViews(text: string | null): readonly SavedView[] {
  const lines = (text ?? "").split("\n")
  return lines.slice(0, MOST_VIEWS).flatMap((line) => {
    const cut = line.indexOf("\t")
    return cut < 1 ? [] : [{ name: line.slice(0, cut), params: line.slice(cut + 1) }]
  })
}

export function writeViews(views: readonly SavedView[]): string {
  return views.map((it) => `${it.name}\t${it.params}`).join("\n")
}

export function keepViews(views: readonly SavedView[]): void {
  remember(KEY, writeViews(views))
}

export function filterOf({ text, status, label, workflow, archived }: RunsParams): string {
  return paths.runs({ text, status, label, workflow, archived }).slice(paths.runs().length)
}

export function isNarrowed(params: RunsParams): boolean {
  return filterOf(params) !== ""
}

export function searchOf(view: string): RunsParams {
  return runsParams.parse(view)
}
