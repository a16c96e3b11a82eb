import { visibleLine } from "../../base/format.ts"
import {
  type ContextKind,
  formatCount,
  type SessionLine,
  type SessionRole,
} from "../../contract.ts"
import { KindDot } from "../../ui/budget-bar/budget-bar.tsx"
import { Cell, Row, type RowOption, TextCell } from "../../ui/list/list.tsx"
import { Path } from "../../ui/path/path.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { Axis } from "../../ui/waterfall/axis.ts"
import { AxisLabels, Fall } from "../../ui/waterfall/waterfall.tsx"

export const LINE_COLUMNS = {
  full: "14px 128px minmax(0, 1fr) 80px",
  narrow: "14px 88px minmax(0, 1fr) 44px",
} as const

const LINE_HEAD = [
  { text: "" },
  { text: "Entry" },
  { text: "Text" },
  { text: "Tokens, est.", align: "end" },
] as const

/** With the state of the lines of one call and their staircase. */
export const ENTERED_COLUMNS = {
  ...LINE_COLUMNS,
  full: "14px 128px minmax(0, 1fr) 80px 96px 140px",
} as const

export function enteredHead(axis: Axis) {
  return [
    ...LINE_HEAD,
    { text: "State", from: "roomy" },
    { text: "axis", from: "roomy", content: <AxisLabels axis={axis} /> },
  ] as const
}

const ROLES: Readonly<Record<SessionRole, string>> = {
  user: "you",
  assistant: "answer",
  call: "call",
  edit: "edit",
  result: "result",
  summary: "summary",
}

const KINDS: Readonly<Record<SessionRole, ContextKind>> = {
  user: "history",
  assistant: "history",
  call: "history",
  edit: "history",
  result: "symbols",
  summary: "history",
}

export function describeLine({ role, tool, agent }: SessionLine): string {
  const by = agent === "main" ? "" : ` of ${visibleLine(agent)}`
  return tool === null ? `${ROLES[role]}${by}` : `${visibleLine(tool)} ${ROLES[role]}${by}`
}

type LineRowProps = {
  readonly line: SessionLine
  readonly href?: string
  readonly isCurrent?: boolean
  readonly option?: RowOption
  /** Among the lines that entered at a call. */
  readonly entered?: {
    readonly state: "in the window" | "compacted"
    readonly start: number
    readonly axis: Axis
  }
}

const MOST_SHOWN = 300
const PATH = /^[^\s/]*\/\S+$/

/** The label beside it names the tool. */
function withoutTool({ text, tool, role }: SessionLine): string {
  const isNamed = role !== "result" && tool !== null && text.startsWith(`${tool} `)
  return isNamed ? text.slice(tool.length + 1) : text
}

export function LineRow({ line, option, entered, ...link }: LineRowProps) {
  const kind = line.role === "result" && line.tool === "Read" ? "files" : KINDS[line.role]
  const text = withoutTool(line).trim().slice(0, MOST_SHOWN)
  return (
    <Row stacks {...(option === undefined ? link : { option })}>
      <KindDot kind={kind} />
      <Text as="div" size="sm" tone="2" cut title={describeLine(line)}>
        {describeLine(line)}
      </Text>
      <Cell lead>
        {PATH.test(text) ? (
          <Path path={text} />
        ) : (
          <Text as="div" mono cut>
            {visibleLine(text).replaceAll("\\n", " ")}
          </Text>
        )}
      </Cell>
      <Text as="div" mono tone="2" align="end">
        {formatCount(line.tokens)}
      </Text>
      {entered === undefined ? null : (
        <>
          <TextCell from="roomy" size="sm" tone="3">
            {entered.state}
          </TextCell>
          <Cell from="roomy">
            <Fall
              axis={entered.axis}
              bar={{ kind, tokens: line.tokens, start: entered.start }}
              isHatched={entered.state === "compacted"}
            />
          </Cell>
        </>
      )}
    </Row>
  )
}
