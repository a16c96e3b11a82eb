import type { PostingsOf } from "../postings.ts"
import type { Corpus } from "../ranker/corpus.ts"
import type { Inputs } from "../ranker/features.ts"
import { rankShares, shareOfLargest } from "../ranker/order.ts"
import { eachWord, withoutOuterUnderscores } from "../words/words.ts"
import { scoreNames } from "./named-files.ts"
import type { IssueTask } from "./parse-issue.ts"
import { scoreZones } from "./zone-scores.ts"

type IssueTree = { readonly corpus: Corpus; readonly postingsOf: PostingsOf }

/** The 23 inputs of the head `issue` beside those of `lex+hist`; negative values become 0. */
export function issueInputs(issue: IssueTask, tree: IssueTree, inputs: Inputs): Inputs {
  const zones = scoreZones(issue, tree)
  const names = scoreNames(issue, tree)
  const { paths } = tree.corpus
  const own = new Map<string, Float64Array | number>([
    ...inputs,
    ["zk", shareOfLargest(zones.zk)],
    ["z_title", shareOfLargest(zones.z_title)],
    ["z_inline", shareOfLargest(zones.z_inline)],
    ["z_prose", shareOfLargest(zones.z_prose)],
    ["zdef", shareOfLargest(zones.zdef)],
    ["zpath", shareOfLargest(zones.zpath)],
    ["zbase", shareOfLargest(zones.zbase)],
    ["zcov", zones.zcov],
    ["rr_zk", rankShares(zones.zk)],
    ["idd", shareOfLargest(names.idd)],
    ["rr_idd", rankShares(names.idd)],
    ["idraw", names.idd.map((it) => Math.min(it, 20) / 10)],
    ["cm", names.cm],
    ["pm", names.pm],
    ["fr", names.fr],
    ["frn", names.frn],
    ["mod", names.mod],
    ["imp", names.imp],
    ["frdef", names.frdef],
    ...stemInputs(issue, paths),
    ["aux", Float64Array.from(paths, (path) => (AUXILIARY.test(path) ? 1 : 0))],
    ["init", Float64Array.from(paths, (path) => (FOLDER_FILE.test(path) ? 1 : 0))],
  ])
  return new Map([...own].map(([name, values]) => [name, atLeastZero(values)]))
}

function atLeastZero(values: Float64Array | number): Float64Array | number {
  return typeof values === "number" ? Math.max(values, 0) : values.map((it) => Math.max(it, 0))
}

const AUXILIARY =
  /(?:^|\/)(?:docs?|doc_src|examples?|samples?|demos?|benchmarks?|bench|asv_bench|scripts?|tools?|ci|\.github|website|gallery|galleries|tutorials?|release|utils_ci|packaging|perf|playground|stories|setup\.py|setup\.cfg)(?:\/|$)/i
const FOLDER_FILE = /(?:^|\/)(?:__init__\.py|index\.[a-z]+|mod\.rs)$/

const GENERIC_STEMS = new Set(
  "__init__ index main mod lib core utils util base common types helpers constants setup conf config".split(
    " ",
  ),
)
const GENERIC_WEIGHT = 0.3

/** Whether the issue's title, its identifiers or its prose contain the name of a file. */
function stemInputs(
  issue: IssueTask,
  paths: readonly string[],
): readonly (readonly [string, Float64Array])[] {
  const identifiers = new Set(
    [
      ...issue.identifiers.keys(),
      ...[...issue.dottedNames.keys()].flatMap((it) => it.split(".")),
    ].map((it) => it.toLowerCase()),
  )
  const title = new Set(issue.zones.title.keys())
  eachWord(issue.title, (start, end) => title.add(issue.title.slice(start, end).toLowerCase()))
  const prose = new Set(issue.zones.prose.keys())
  const [inTitle, inNames] = [new Float64Array(paths.length), new Float64Array(paths.length)]
  for (const [at, path] of paths.entries()) {
    const stem = stemOf(path)
    if (stem.length <= 2) continue
    const weight = GENERIC_STEMS.has(stem) ? GENERIC_WEIGHT : 1
    const isIn = (words: ReadonlySet<string>) =>
      words.has(stem) || words.has(stem.replaceAll("-", "_"))
    if (isIn(title)) inTitle[at] = weight
    if (isIn(identifiers)) inNames[at] = weight
    else if (isIn(prose)) inNames[at] = 0.5 * weight
  }
  return [
    ["stem_t", inTitle],
    ["stem_i", inNames],
  ]
}

function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return withoutOuterUnderscores((name.split(".")[0] ?? "").toLowerCase())
}
