import { QueryClient } from "@tanstack/react-query"
import { beforeAll, describe, expect, it } from "vitest"
import { failure } from "../../base/errors.ts"
import type { PipelineShow } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { pipelineParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { loadMarkdown } from "../../ui/markdown/markdown.tsx"
import { PipelinePage } from "./page.tsx"
import { aPause, aRun, aStage, eventsOf, gives, NOW, starts, step } from "./pipeline.fixture.ts"

beforeAll(loadMarkdown)

type PipelinePageData = {
  readonly shown?: PipelineShow
  readonly answers?: readonly (readonly [readonly unknown[], unknown])[]
  readonly isReadOnly?: boolean
  readonly queries?: QueryClient
}

function markupOf(address: string, data: PipelinePageData): string {
  const { shown, answers = [], queries = new QueryClient() } = data
  const showKey = keys.operation("pipeline.show", { id: "p-12" })
  if (shown !== undefined) queries.setQueryData(showKey, shown)
  if (data.isReadOnly === true) queries.setQueryData(keys.session, { readOnly: true })
  for (const [key, answer] of answers) queries.setQueryData(key, answer)
  return renderPage(
    queries,
    <PipelinePage
      id="p-12"
      now={NOW}
      params={pipelineParams.parse(address)}
      areFactsHidden={false}
      onToggleFacts={() => undefined}
      onParams={() => undefined}
    />,
  )
}

const render = (address: string, data: PipelinePageData) => textOf(markupOf(address, data))
const EVENTS = eventsOf([
  starts(0),
  step("a", { tokens: 3_400, durationMs: 200 }),
  gives(0, "8 sub-queries"),
])
const PAUSED = {
  run: aRun({
    status: "paused",
    pause: aPause(),
    stages: [
      aStage(0, { title: "Analyze query", status: "paused" }),
      aStage(1, { title: "Verify" }),
    ],
  }),
  events: EVENTS,
}

describe("paused pipeline", () => {
  it("[CONSOLE-52] its card shows the question, the content to decide on, and three answers with their consequences", () => {
    const html = markupOf("", { shown: PAUSED })
    const text = textOf(html)
    expect(text).toContain("Paused after analyze query Is this the plan you want? 11 min")
    expect(text).toContain("Which date fixes the tariff? handbook")
    expect(text).toMatch(/Proceed Go on with Verify .*Amend Say what to change .*Exit End here/)
    expect(html, "nothing is drawn as running").not.toContain('aria-label="running"')
    expect(text).toContain("Skip Verify")
  })

  it("[CONSOLE-52] the confirmation to exit is asked in the same card", () => {
    const pause = aPause({
      isConfirmingExit: true,
      question: "Leave this run? 1 yes / 2 no",
      choices: [
        { key: "1", word: "Yes", consequence: "The run ends" },
        { key: "2", word: "No", consequence: "The run goes on" },
      ],
    })
    const text = render("", { shown: { ...PAUSED, run: { ...PAUSED.run, pause } } })
    expect(text).toContain("Leave this run? 1 yes / 2 no")
    expect(text).toMatch(/Yes The run ends .*No The run goes on/)
    expect(text).not.toContain("Proceed")
  })

  it("[CONSOLE-52] a read-only page offers no answer", () => {
    const html = markupOf("", { shown: PAUSED, isReadOnly: true })
    expect(html.match(/<button[^>]*disabled=""[^>]*><b>(Proceed|Amend|Exit)/g)?.length).toBe(3)
    expect(textOf(html)).toContain("This page is read only.")
    expect(textOf(html)).not.toContain("Stop")
  })

  it("[CONSOLE-51] it shows cost per stage, properties and activities", () => {
    const text = render("", { shown: PAUSED })
    expect(text).toContain("Cost $0.15 of $3.00 Spent Limit Analyze query $0.00 $0.50")
    expect(text).toContain("Analyze query 8 sub-queries 1 activity")
    expect(text).toMatch(/Knowledge Base Search arrival 3\.4k 200 ms/)
    expect(text).toContain("Model scripted")
    expect(text).toContain("Autosave after stage 1, event 9")
  })
})

describe("active and ended pipeline", () => {
  it("[CONSOLE-51] the last section is open and shows its running time", () => {
    const events = eventsOf([starts(0), step("a", { phase: "started" })])
    const html = markupOf("", {
      shown: { run: aRun({ stages: [aStage(0, { status: "running" })] }), events },
    })
    expect(html).toContain('aria-label="running"')
    expect(textOf(html)).toMatch(/running, (60\.0 s|1:00 min)/)
    expect(textOf(html)).toContain(
      "The run is active; you can send a message when it pauses or ends",
    )
  })

  it("[CONSOLE-53] the document appears once, and its labels link to their paragraphs", () => {
    const run = aRun({
      status: "completed",
      endedAt: NOW,
      isPartial: false,
      reason: "All passed.",
      hasDocument: true,
    })
    const document = {
      id: "p-12",
      title: "T",
      markdown: "Within 24 hours [P1], not [P9], see [W1] and [W2].",
      isPartial: false,
      note: null,
      references: [
        {
          label: "P1",
          title: "Order",
          citation: "Order § 3",
          paragraph: "kp 1",
          url: null,
          isPrior: true,
        },
        {
          label: "W1",
          title: "Dues",
          citation: "Dues",
          paragraph: null,
          url: "https://a.example/x",
          isPrior: false,
        },
        {
          label: "W2",
          title: "Bad",
          citation: "Bad",
          paragraph: null,
          url: "javascript:alert(1)",
          isPrior: false,
        },
      ],
    }
    const events = eventsOf([
      ...EVENTS.map((it) => it.body),
      {
        type: "said",
        key: "s",
        message: "And then?",
        answer: "**So.**",
        model: "m",
        usage: run.usage,
        usd: 0,
      },
    ])
    const html = markupOf("", {
      shown: { run, events: events },
      answers: [[keys.operation("pipeline.document", { id: "p-12" }), document]],
    })
    expect(html.match(/Within 24 hours/g)?.length).toBe(1)
    expect(html).toContain(
      'href="/knowledge?at=kp+1&amp;show=kp+1" title="Order § 3, Order, from an earlier run"',
    )
    expect(html).toContain('href="https://a.example/x" title="Dues (a.example)" target="_blank"')
    expect(html).not.toContain("javascript:")
    const text = textOf(html)
    expect(text).toContain("Completed. All passed.")
    expect(text).toMatch(/And then\? So\./)
    expect(html, "the steps are folded").not.toContain("arrival")
  })

  it("[CONSOLE-51] an interrupted run can be resumed, and a failed one shows its hint", () => {
    const cut = render("", { shown: { run: aRun({ status: "interrupted" }), events: EVENTS } })
    expect(cut).toContain("Recorded stages are stored and do not run again. Resume")
    const error = { code: "MODEL_TIMED_OUT", message: "No answer.", hint: "Try again." }
    const failed = render("", {
      shown: { run: aRun({ status: "failed", endedAt: NOW, error }), events: EVENTS },
    })
    expect(failed).toContain("No answer. Try again.")
  })
})

describe("two pipelines", () => {
  it("two runs are shown side by side, and equal stages are collapsed", () => {
    const side = { summary: "as it was", usd: 0.04, rounds: 1, output: '{ "a": 1 }' }
    const stage = (name: string, isSame: boolean) => ({
      name,
      title: name,
      left: side,
      right: { ...side, rounds: 2, output: isSame ? side.output : '{ "a": 2 }' },
      isSame,
    })
    const { run } = PAUSED
    const line = { ...run, stageTitle: null, stagesDone: 1, stagesTotal: 2 }
    const html = markupOf("?compare=yes&other=p-11", {
      shown: PAUSED,
      answers: [
        [keys.operation("pipeline.list", { agent: "deep-research", limit: 500 }), { runs: [line] }],
        [
          keys.operation("pipeline.compare", { id: "p-12", other: "p-11" }),
          {
            left: line,
            right: { ...line, id: "p-11" },
            stages: [stage("one", true), stage("two", false)],
          },
        ],
      ],
    })
    const text = textOf(html)
    expect(text).toContain("1 stage differs, 1 identical")
    expect(text).toMatch(/one identical/)
    expect(text).toContain("two different output, 1 and 2 rounds")
    expect(html.match(/aria-label="First output"/g)?.length, "only what differs is open").toBe(1)
    expect(html).toContain('href="/pipelines/p-11"')
  })

  it("without another run there is nothing to compare with", () => {
    const answers = [
      [keys.operation("pipeline.list", { agent: "deep-research", limit: 500 }), { runs: [] }],
    ] as const
    expect(render("?compare=yes", { shown: PAUSED, answers })).toContain(
      "No other run of deep-research to compare with.",
    )
  })
})

describe("pipeline that cannot be shown", () => {
  const failing = async (code: string) => {
    const queries = new QueryClient({
      defaultOptions: { queries: { retry: false, retryOnMount: false } },
    })
    const queryKey = keys.operation("pipeline.show", { id: "p-12" })
    const error = failure({ code, message: "It cannot be read", hint: "x", data: {} })
    await queries.prefetchQuery({ queryKey, queryFn: () => Promise.reject(error) })
    return render("", { queries })
  }

  it("[CONSOLE-15] an unknown id and an error have different texts", async () => {
    expect(await failing("PIPELINE_UNKNOWN")).toContain("No run in this repository has this id.")
    const damaged = await failing("PIPELINE_STATE_DAMAGED")
    expect(damaged).toContain("It cannot be read")
    expect(damaged).toContain("Try again")
  })

  it("[CONSOLE-22] control and bidirectional characters in questions, titles, answers and notes are escaped", () => {
    const evil = "x\u202Ey<img src=x onerror=alert(1)>[a](javascript:alert(1))"
    const run = aRun({
      title: evil,
      status: "paused",
      provider: evil,
      pause: aPause({
        question: evil,
        lines: [{ text: evil, note: evil }],
        choices: [{ key: "1", word: evil, consequence: evil }],
      }),
      stages: [aStage(0, { title: evil })],
    })
    const events = eventsOf([
      starts(0),
      step("a", { tool: evil, title: evil, detail: evil, outcome: "failed" }),
      { type: "amended", by: "you", stage: 0, text: evil },
      gives(0, evil),
    ])
    const html = markupOf("?turned=a", { shown: { run, events } })
    expect(html).not.toMatch(/\u202E|<img|href="javascript/)
    expect(html).toContain("\\u{202e}")
  })
})
