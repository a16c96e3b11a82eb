import type { HostItem } from "../host.ts"
import { belongsTo, type TrustFolders } from "./file-trust.ts"

/** A file whose text the host copies into the importing file: listed here, sent there. */
export function copiedImport(
  one: {
    readonly path: string
    readonly file: HostItem["file"]
    readonly by: NonNullable<HostItem["importedBy"]>
  },
  main: Pick<HostItem, "scope" | "kind" | "priority">,
  grounds: TrustFolders,
): HostItem {
  const { scope, kind, priority } = main
  return {
    scope,
    kind,
    priority,
    path: one.path,
    source: "import",
    reason: "Copied into the importing file",
    load: "import",
    trust: belongsTo({ realPath: one.file.realPath, scope }, grounds),
    importedBy: one.by,
    file: one.file,
    sent: "",
    frame: "",
    later: "",
  }
}

export function lineCounter(text: string): (at: number) => number {
  let line = 1
  let next = text.indexOf("\n")
  return (at) => {
    while (next !== -1 && next < at) {
      line += 1
      next = text.indexOf("\n", next + 1)
    }
    return line
  }
}

type Span = { readonly from: number; readonly to: number }

/**
 * Code between backticks, as two hosts find it: the longest run with an equally long run after it.
 * Equals (`+)[\s\S]*?\1 in one pass; that expression rereads the rest of a text for every length it
 * tries.
 */
export function backtickSpans(text: string): readonly Span[] {
  const runs = [...text.matchAll(/`+/g)].map((it) => ({ at: it.index, length: it[0].length }))
  const longestFrom = longestRuns(runs.map((it) => it.length))
  const spans: Span[] = []
  let done = 0
  for (let index = 0; index < runs.length; ) {
    const run = runs[index]
    const from = Math.max(run?.at ?? 0, done)
    const length = (run?.at ?? 0) + (run?.length ?? 0) - from
    const behind = longestFrom[index + 1] ?? 0
    const width = Math.min(length, Math.max(behind, Math.floor(length / 2)))
    if (width === 0) {
      index += 1
      continue
    }
    const isWithin = 2 * width <= length
    while (!isWithin && (runs[++index]?.length ?? width) < width);
    done = (isWithin ? from + width : (runs[index]?.at ?? from)) + width
    spans.push({ from, to: done })
  }
  return spans
}

function longestRuns(lengths: readonly number[]): readonly number[] {
  const longest = [...lengths]
  for (let at = longest.length - 2; at >= 0; at--) {
    longest[at] = Math.max(longest[at] ?? 0, longest[at + 1] ?? 0)
  }
  return longest
}
