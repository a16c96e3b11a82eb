import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { MapScan, MapShow, PackBuilt } from "#ground/contract"
import { commit, git } from "#test/git"
import { newUser } from "#test/qm"

const SHOP = {
  "src/rounding.py":
    "def round_line(amount):\n    return half_up(amount)\n\n\ndef half_up(value):\n    return int(value + 0.5)\n",
  "src/invoice.py":
    "from src.rounding import round_line\n\n\ndef invoice_total(lines):\n    return sum(round_line(it) for it in lines)\n",
  "src/berth.go": "package src\n\nfunc Berth(name string) string { return name }\n",
  "README.md": "# Shop\n\nInvoices are rounded line by line.\n",
}

test("[PACK-1] a user maps a repository, explores it, and gets a package for a task", async () => {
  await using user = await newUser()
  git(user.project, "init", "-q", "-b", "main")
  commit(user.project, "round each line of an invoice", SHOP)

  const scanned = await user.qm(["map", "--json"])
  expect(scanned.stderr).toBe("")
  const scan = MapScan.parse(JSON.parse(scanned.stdout))
  expect(scan.scan).toMatchObject({ filesScanned: 4, filesChanged: 4, mode: "incremental" })
  expect(scan.languages.map((it) => it.language)).toEqual(["python", "go"])
  expect(scan.state).toMatchObject({ commits: 1, historyProblem: null })

  const shown = MapShow.parse(
    JSON.parse((await user.qm(["map", "show", "round_line", "--json"])).stdout),
  )
  if (shown.kind !== "symbol") throw new Error("a function is a symbol")
  expect(shown.callers.map((it) => it.symbol.name)).toEqual(["invoice_total"])
  expect(shown.called.map((it) => it.symbol.name)).toEqual(["half_up"])

  const lost = await user.qm(["map", "show", "round_lime"])
  expect(lost.code).toBe(1)
  expect(lost.stderr).toContain("round_line")
  expect(lost.stderr).toContain("MAP_NAME_UNKNOWN")

  const task = "fix the rounding in round_line"
  const read = await user.qm(["pack", task, "--budget", "2000"])
  expect(read.stdout).toContain("of 2,000 tokens")
  expect(read.stdout).toContain("src/rounding.py")

  const markdown = ["pack", task, "--budget", "2000", "--format", "markdown", "--no-save"]
  const [first, second] = [await user.qm(markdown), await user.qm([...markdown, "--out", "p.md"])]
  expect(await readFile(path.join(user.project, "p.md"), "utf8")).toBe(first.stdout.slice(0, -1))
  expect(second.stdout).toContain("p.md")
  expect(first.stdout).toContain("return half_up(amount)")

  const kept = PackBuilt.parse(
    JSON.parse((await user.qm(["pack", "show", "last", "--json"])).stdout),
  )
  expect(kept.pack).toMatchObject({ task, budget: 2_000 })
})

test("[PACK-1] an empty task, an invalid budget, a target outside, an unknown role and an unknown package are refused", async () => {
  await using user = await newUser()
  await mkdir(path.join(user.project, "src"))
  await writeFile(path.join(user.project, "src/a.ts"), "export const a = 1\n")
  const cases = [
    [["pack", ""], "PACK_TASK_EMPTY"],
    [["pack", "x", "--budget", "0"], "PACK_BUDGET_INVALID"],
    [["pack", "x", "--target", "../secret.ts"], "PACK_TARGET_OUTSIDE"],
    [["pack", "x", "--role", "pirate"], "PACK_ROLE_UNKNOWN"],
    [["pack", "show", "none"], "PACK_UNKNOWN"],
  ] as const
  for (const [args, code] of cases) {
    const answered = await user.qm(args)
    expect([answered.code, answered.stdout], args.join(" ")).toEqual([1, ""])
    expect(answered.stderr).toContain(code)
  }
})
