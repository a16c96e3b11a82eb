import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { RUN_STATUSES } from "#ground/contract"
import { STATUS_MARKS } from "../../base/status.ts"
import { runsParams } from "../../data/paths.ts"
import { withSeed } from "../../test-seed.ts"
import { askedSince, costOf, countFacets, formatTime, linesOf } from "./lines.ts"
import { aRun } from "./runs.fixture.ts"
import { filterOf, readViews, searchOf, writeViews } from "./views.ts"

const NOW = Date.UTC(2026, 10, 15, 12, 0)
const HOUR = 3_600_000

const anyRun = fc
  .record({
    id: fc.uuid(),
    status: fc.constantFrom(...RUN_STATUSES),
    endedAt: fc.option(fc.integer({ min: NOW - 100 * HOUR, max: NOW })),
  })
  .map(aRun)

describe("list of runs", () => {
  it("every run is in exactly one group, under its heading, in order", () => {
    const runs = fc.uniqueArray(anyRun, { selector: (it) => it.id })
    fc.assert(
      fc.property(runs, (all) => {
        const lines = linesOf(all, NOW)
        const shown = lines.flatMap((it) => (it.kind === "run" ? [it.run] : []))
        expect(shown.map((it) => it.id).toSorted()).toEqual(all.map((it) => it.id).toSorted())
        for (const line of lines) {
          if (line.kind !== "group") continue
          const its = lines.filter((it) => it.kind === "run" && it.group === line.name)
          expect(its).toHaveLength(line.count)
          expect(line.count).toBeGreaterThan(0)
        }
        const counts = countFacets(all)
        const { waiting, live, completed, failed, stopped } = counts
        expect(waiting + live + completed + failed + stopped).toBe(counts.all)
      }),
      withSeed(),
    )
  })

  it("the groups are waiting, running, today, earlier", () => {
    const runs = [
      aRun({ id: "old", endedAt: NOW - 80 * HOUR }),
      aRun({ id: "today", status: "failed", endedAt: NOW - HOUR }),
      aRun({ id: "queued", status: "queued", startedAt: null }),
      aRun({ id: "paused", status: "paused" }),
    ]
    expect(linesOf(runs, NOW).map((it) => it.key)).toEqual([
      "Waiting for you",
      "paused",
      "Running",
      "queued",
      "Ended today",
      "today",
      "Earlier",
      "old",
    ])
  })

  it("the time is a duration, the age of the oldest approval, or the end time", () => {
    const approval = (requestedAt: number) => ({ runId: "rn_1", requestedAt })
    const oldest = askedSince(
      [NOW - 5 * 60_000, NOW - 11 * 60_000].map((at) => ({
        ...approval(at),
        id: `${at}`,
        tool: "",
        title: "",
        input: "",
        digest: "",
        path: null,
        cwd: "",
        status: "open" as const,
        expiresAt: 0,
        answeredAt: null,
        answeredBy: null,
        note: null,
      })),
    )
    const timeOf = (run: ReturnType<typeof aRun>) => {
      const line = linesOf([run], NOW).find((it) => it.kind === "run")
      return line === undefined ? "" : formatTime(line, NOW, oldest)
    }
    expect(timeOf(aRun({ status: "waiting" }))).toBe("11 min")
    expect(timeOf(aRun({ status: "running", startedAt: NOW - 352_000 }))).toBe("5:52")
    expect(timeOf(aRun({ status: "queued", startedAt: null }))).toBe("next")
    expect(timeOf(aRun({ endedAt: Date.UTC(2026, 10, 2, 12) }))).toBe("2 Nov")
  })

  it("every status of the contract has a label and a mark", () => {
    expect(Object.keys(STATUS_MARKS)).toEqual([...RUN_STATUSES])
    expect(STATUS_MARKS.completed).toBe("done")
  })

  it("[CONSOLE-15] the higher of two costs is shown, and none if none is known", () => {
    const cost = (reportedUsd: number | null, computedUsd: number | null) =>
      costOf(aRun({ cost: { ...aRun().cost, reportedUsd, computedUsd } }))
    expect([cost(1, 2), cost(null, 0.5), cost(3, null), cost(null, null)]).toEqual([
      2,
      0.5,
      3,
      null,
    ])
  })
})

describe("saved views", () => {
  const params = runsParams.parse("?text=tide&status=failed&at=rn_1&beside=peek&view=approvals")

  it("a view stores the filters and not the selection", () => {
    expect(filterOf(params)).toBe("?text=tide&status=failed")
    expect(searchOf(filterOf(params))).toEqual(runsParams.parse("?text=tide&status=failed"))
  })

  it("views of this browser are read back", () => {
    const views = [
      { name: "broken tides", params: "?label=x" },
      { name: "b", params: "" },
    ]
    expect(readViews(writeViews(views))).toEqual(views)
  })

  it.each([[null], [""], ["no tab"], ["\t?text=nameless"], ["\u0000\n\n"]])(
    "a storage value of %j contains no view",
    (text) => {
      expect(readViews(text)).toEqual([])
    },
  )
})
