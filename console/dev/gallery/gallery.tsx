import { type ReactNode, useState } from "react"
import { createRoot } from "react-dom/client"
import type { Status } from "../../src/base/status.ts"
import "../../src/ui/fonts.css"
import "../../src/ui/tokens.css"
import "../../src/ui/ground.css"
import { showRememberedLook, useAppearance } from "../../src/app/theme/appearance.ts"
import type { ContextKind } from "../../src/contract.ts"
import { AskCard, AskLine } from "../../src/ui/ask/ask.tsx"
import { BudgetBar, RowBudgetBar } from "../../src/ui/budget-bar/budget-bar.tsx"
import { Bullets } from "../../src/ui/bullets/bullets.tsx"
import { Button, IconButton } from "../../src/ui/button/button.tsx"
import { CheckBlocks } from "../../src/ui/checks/checks.tsx"
import { Compare } from "../../src/ui/compare/compare.tsx"
import { Donut } from "../../src/ui/donut/donut.tsx"
import {
  EditableField,
  EditableFields,
  EditableText,
  EditableTextBox,
  TextFacts,
} from "../../src/ui/editable-text/editable-text.tsx"
import { CommandLine, Empty } from "../../src/ui/empty/empty.tsx"
import { AreaEntry, PickEntry, TextEntry } from "../../src/ui/entry/entry.tsx"
import { Failure } from "../../src/ui/failure/failure.tsx"
import { ChoiceField, TextField } from "../../src/ui/field/field.tsx"
import { Gauge, GaugeBar } from "../../src/ui/gauge/gauge.tsx"
import { Graph } from "../../src/ui/graph/graph.tsx"
import { Kbd } from "../../src/ui/kbd/kbd.tsx"
import { Meter } from "../../src/ui/meter/meter.tsx"
import { Block, Flow, Pane, PaneScroll, Stack } from "../../src/ui/pane/pane.tsx"
import { Path } from "../../src/ui/path/path.tsx"
import { RankBar } from "../../src/ui/rank-bar/rank-bar.tsx"
import { Score, Tick } from "../../src/ui/score/score.tsx"
import { SegmentedControl } from "../../src/ui/segmented-control/segmented-control.tsx"
import { StatusMark } from "../../src/ui/status-mark/status-mark.tsx"
import { Text } from "../../src/ui/text/text.tsx"
import { ToastProvider, useToast } from "../../src/ui/toast/toast.tsx"

/** Every component in every state, for visual inspection and the audit; not shipped. */
function Gallery() {
  // The theme follows the system, as in the console.
  useAppearance()
  return (
    <Pane label="Parts">
      <PaneScroll>
        <Block>
          <Text as="h1" size="title-md">
            Parts
          </Text>
        </Block>
        <Bars />
        <Neighbourhood />
        <Marks />
        <Questions />
        <Choosing />
        <Spending />
        <Controls />
        <Failures />
      </PaneScroll>
    </Pane>
  )
}

const TOKENS = { instructions: 6_127, knowledge: 3_140, memory: 1_212, tools: 5_656, history: 846 }

function Neighbourhood() {
  const node = { title: "function, src/a.ts:12", href: "#a", via: "a", isSure: true } as const
  return (
    <>
      <Part name="Rank, the most, some, hardly any, none">
        <Stack gap="8">
          {[1, 0.42, 0.004, 0].map((share) => (
            <RankBar key={share} share={share} label="rank" />
          ))}
        </Stack>
      </Part>
      <Part name="A neighbourhood, two hops, with more than has room and one that is doubtful">
        <Graph
          label="Around roundLine"
          centre={{ label: "roundLine", title: "function, src/rounding.ts:18" }}
          heads={["Two hops", "Callers", "", "Called", "Two hops"]}
          nodes={[
            { ...node, id: "far", label: "issueInvoice", side: "before", hops: 2 },
            ...Array.from({ length: 11 }, (_, i) => ({
              ...node,
              id: i === 0 ? "a" : `a${i}`,
              label: `priceLineNumber${i}`,
              side: "before" as const,
              hops: 1 as const,
              isSure: i !== 3,
            })),
            { ...node, id: "b", label: "cents", side: "after", hops: 1 },
          ]}
          onFollow={() => undefined}
        />
      </Part>
    </>
  )
}

function Questions() {
  const [text, setText] = useState("")
  return (
    <>
      <Part name="Donut, neutral, from 80 %, from 95 %, full">
        <Flow>
          {[0, 0.31, 0.8, 0.95, 1.4].map((share) => (
            <Donut key={share} share={share} label={`${Math.round(share * 100)} %`} />
          ))}
        </Flow>
      </Part>
      <Part name="A question in one line, cut where there is no room, and in full">
        <Stack gap="8">
          <AskLine lead="codex asks to run" subject="npm test" after=", and 1 further question" />
          <AskLine lead="codex asks to run" subject={"find . -name '*.ts' ".repeat(12)} />
          <AskCard text={"find . -name '*.ts'\nsandbox: false"}>
            <Text tone="2">Answers stand here.</Text>
          </AskCard>
          <AskCard isOver text="npm test">
            <Text tone="2">Status: denied by cli.</Text>
          </AskCard>
        </Stack>
      </Part>
      <Part name="Entries of a form">
        <TextEntry
          label="Directory"
          mono
          value="/etc"
          problem="It is outside."
          onChange={setText}
        />
        <AreaEntry label="What shall it do?" rows={3} value={text} onChange={setText} />
        <PickEntry
          label="Agent"
          choices={[
            { value: "a", label: "Claude Code", detail: "2.1.214" },
            { value: "b", label: "Copilot", detail: "not installed", isMissing: true },
          ]}
          value="a"
          description="It is not installed."
          onPick={setText}
        />
      </Part>
    </>
  )
}

function Bars() {
  const [picked, setPicked] = useState<ContextKind | null>(null)
  return (
    <>
      <Part name="Budget bar, 85 % of its budget; press a segment">
        <BudgetBar tokens={TOKENS} budget={20_000} picked={picked} onPick={setPicked} />
      </Part>
      <Part name="Budget bar with a part that was left out">
        <BudgetBar
          tokens={{
            instructions: 904,
            files: 13_362,
            symbols: 4_108,
            knowledge: 3_140,
            memory: 1_000,
          }}
          cut={{ files: 8_410 }}
          budget={24_000}
        />
      </Part>
      <Part name="Budget bar, one segment picked">
        <BudgetBar tokens={TOKENS} budget={20_000} picked="tools" />
      </Part>
      <Part name="Budget bar of a window, and an empty one">
        <Stack gap="8">
          <BudgetBar tokens={TOKENS} window={200_000} budget={160_000} />
          <BudgetBar tokens={{}} budget={20_000} />
        </Stack>
      </Part>
      <Part name="In rows: no gaps, and no notch unless there is a budget">
        <Stack gap="8">
          <RowBudgetBar tokens={{ ...TOKENS, files: 31_000 }} window={200_000} />
          <RowBudgetBar tokens={{ files: 900 }} window={200_000} />
          <RowBudgetBar tokens={{}} window={200_000} />
        </Stack>
      </Part>
      <Part name="Meter: neutral, near, too much">
        <Stack gap="8">
          <Meter share={0.4} label="40 %" />
          <Meter share={0.86} label="86 %" />
          <Meter share={1.2} label="120 %" />
        </Stack>
      </Part>
    </>
  )
}

const FORMS = [
  { value: "full", label: "Full" },
  { value: "sym", label: "Sym" },
  { value: "path", label: "Path" },
] as const

function Choosing() {
  const [task, setTask] = useState("Fix the rounding of split stays")
  const [form, setForm] = useState<"full" | "sym" | "path">("sym")
  return (
    <>
      <Block title="What a page is about; press to change it">
        <EditableTextBox>
          <EditableText label="Task" value={task} onCommit={setTask} />
          <EditableFields>
            <EditableField label="Budget">
              <TextField label="Budget" value="24,000" onCommit={setTask} />
            </EditableField>
          </EditableFields>
          <TextFacts
            facts={[
              { name: "Read as", value: "fix" },
              { name: "Words", value: "cent, split, stay" },
            ]}
          />
        </EditableTextBox>
      </Block>
      <Block title="Score, taken or not, one of a few: by itself and chosen">
        <Flow>
          {[0, 0.33, 0.97, 1].map((share) => (
            <Score key={share} share={share} />
          ))}
          <Tick isOn onPress={() => undefined} />
          <Tick isOn={false} onPress={() => undefined} />
          <SegmentedControl
            choices={FORMS}
            value={form}
            isChosen={false}
            onPick={(it) => setForm(it)}
          />
          <SegmentedControl choices={FORMS} value={form} isChosen onPick={(it) => setForm(it)} />
        </Flow>
      </Block>
    </>
  )
}

function Spending() {
  return (
    <>
      <Block title="Used of a whole: little, warned, over, nothing, and the bar alone">
        <Stack gap="8">
          <Gauge label="800 of 4,096" share={0.2} used="800" total="4.1k" notch={0.8} />
          <Gauge label="9,812 of 12,000" share={0.82} used="9.8k" total="12.0k" notch={0.8} />
          <Gauge label="8,180 of 8,192" share={0.99} used="8.2k" total="8.2k" notch={0.8} isOver />
          <Gauge label="at least 0 of 8,192" share={0} used="≥ 0" total="8.2k" notch={0.8} />
          <GaugeBar label="1:22 of 5:00" share={0.27} />
        </Stack>
      </Block>
      <Block title="Lengths on one scale, with what is not there">
        <Compare
          lines={[
            { name: "In the windows", share: 0.12, figure: "6.6k" },
            { name: "Without folds", share: 0.12, gone: 0.88, figure: "56.6k" },
          ]}
        />
      </Block>
      <Block title="Sentences beside one another">
        <Bullets lines={["One line.", "One\nthat breaks.", `${"long".repeat(80)}`]} />
      </Block>
    </>
  )
}

const STATUSES: readonly Status[] = [
  "queued",
  "running",
  "waiting",
  "paused",
  "done",
  "failed",
  "stopped",
  "interrupted",
  "timed-out",
  "cancelled",
  "warned",
  "picked",
]

function Marks() {
  return (
    <Part name="Status marks, checks, keys, paths">
      <Stack gap="8">
        <Flow>
          {STATUSES.map((it) => (
            <Flow key={it} gap="tight">
              <StatusMark status={it} />
              {it}
            </Flow>
          ))}
        </Flow>
        <CheckBlocks states={["ok", "ok", "warn", "fail"]} description="2 of 4 checks pass" />
        <Flow>
          <Kbd keys="mod+k" />
          <Kbd keys="g e" />
          <Kbd keys="Enter" />
          <Kbd keys="Escape" />
        </Flow>
        <Path path="src/a/very/long/way/to/a/folder/that/does/not/fit/anywhere/at/all/rounding.ts" />
      </Stack>
    </Part>
  )
}

function Controls() {
  const [choice, setChoice] = useState("sigs")
  const toast = useToast()
  const press = () =>
    toast.show({ text: "T-9HV4C was moved by someone else", undo: () => undefined })
  return (
    <Part name="Controls">
      <Stack gap="8">
        <Flow>
          <Button variant="primary" onPress={press}>
            Primary
          </Button>
          <Button onPress={press}>Plain</Button>
          <Button variant="ghost" onPress={press}>
            Ghost
          </Button>
          <Button variant="danger" onPress={press}>
            Stop
          </Button>
          <Button disabled onPress={press}>
            Not now
          </Button>
          <IconButton icon="panel" label="Hide the panel" onPress={press} />
        </Flow>
        <ChoiceField
          label="Form"
          choices={[
            { value: "full", label: "full" },
            { value: "sigs", label: "sigs" },
            { value: "path", label: "path" },
          ]}
          value={choice}
          onPick={setChoice}
        />
        <TextField label="A text" value="200000" onCommit={() => undefined} />
        <CommandLine command="qm capture" />
        <Empty
          description="What will be here, and the one command that fills it."
          command="qm doctor"
        />
      </Stack>
    </Part>
  )
}

const ERROR = {
  code: "AGENT_NOT_FOUND",
  message: "Claude Code could not be started",
  hint: "No program named `claude` was found outside this repository. Install it.",
  data: {},
}

function Failures() {
  return (
    <Part name="Failure: page, pane, row">
      <Failure size="page" error={ERROR} onRetry={() => undefined} />
      <Failure size="pane" error={ERROR} onRetry={() => undefined} />
      <Failure size="row" error={ERROR} onRetry={() => undefined} />
    </Part>
  )
}

function Part({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return <Block title={name}>{children}</Block>
}

showRememberedLook()
const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <ToastProvider>
      <Gallery />
    </ToastProvider>,
  )
}
