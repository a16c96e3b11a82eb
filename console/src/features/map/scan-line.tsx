import { visibleLine } from "../../base/format.ts"
import { type MapScan, plural } from "../../contract.ts"
import { HoverList } from "../../ui/hover-list/hover-list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Path } from "../../ui/path/path.tsx"
import { sayScan } from "./words.ts"

type ScanLineProps = { readonly result: MapScan | undefined; readonly isBusy: boolean }

export function ScanLine({ result, isBusy }: ScanLineProps) {
  if (isBusy) {
    return <Notice says="Scanning. The first time every file is read, later only what changed." />
  }
  if (result === undefined) return null
  return (
    <Notice says={sayScan(result)}>
      <Aside name="read in part" rows={result.problems} count={result.problemsCount} />
      <Aside name="left out" rows={result.skipped} count={result.skippedCount} />
    </Notice>
  )
}

type AsideProps = {
  readonly name: string
  readonly rows: MapScan["skipped"]
  readonly count: number
}

function Aside({ name, rows, count }: AsideProps) {
  if (count === 0) return null
  const title = `${plural(count, "file")} ${name}`
  const more = count - rows.length
  return (
    <HoverList
      title={title}
      lines={rows.map((it, i) => ({
        key: `${i} ${it.path}`,
        lead: <Path path={it.path} />,
        says: visibleLine(it.reason),
      }))}
      {...(more > 0 ? { foot: `And ${plural(more, "file")} more.` } : {})}
    >
      {title}
    </HoverList>
  )
}
