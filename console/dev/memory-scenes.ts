import type { Page } from "playwright-core"
import type { Scene } from "./shots.ts"

const one = (id: string) => `/memory?at=${id}&show=${id}`

/** Memory in each of its states; `shots.ts` takes their pictures with the others. */
export const MEMORY_SCENES: readonly Scene[] = [
  { name: "memory", path: "/memory", state: "populated" },
  { name: "memory-one", path: one("mem_01halfcents"), state: "populated" },
  { name: "memory-stale", path: one("mem_02stations"), state: "populated" },
  { name: "memory-quarantined", path: one("mem_03blog"), state: "populated" },
  { name: "memory-superseded", path: one("mem_06oldround"), state: "populated" },
  { name: "memory-hostile", path: one("mem_07hostile"), state: "populated" },
  { name: "memory-found", path: "/memory?text=rounding+line", state: "populated" },
  { name: "memory-nothing", path: "/memory?text=zzz", state: "populated" },
  { name: "memory-filtered", path: "/memory?kind=term&state=stale", state: "populated" },
  { name: "memory-add", path: "/memory?add=yes", state: "populated" },
  { name: "memory-refused", path: "/memory?add=yes", state: "populated", act: beRefused },
  { name: "memory-forget", path: one("mem_05berth"), state: "populated", act: askToForget },
  { name: "memory-read-only", path: one("mem_03blog"), state: "read-only" },
  { name: "memory-unknown", path: "/memory?show=mem_nobody", state: "populated" },
  { name: "memory-empty", path: "/memory", state: "empty" },
  { name: "memory-failing", path: "/memory", state: "failing" },
]

async function beRefused(page: Page): Promise<void> {
  await page.getByLabel("Title").fill("Round on the line")
  await page.getByLabel("What is to be remembered?").fill("Half to even.")
  await page.getByLabel("Code it rests on").fill("no/such.ts")
  await page.getByRole("button", { name: "Record" }).click()
  await page.getByRole("alert").waitFor()
}

async function askToForget(page: Page): Promise<void> {
  await page.keyboard.press("x")
  await page.getByRole("dialog").waitFor()
}
