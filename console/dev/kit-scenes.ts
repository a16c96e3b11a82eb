import type { Page } from "playwright-core"
import { CLAUDE, LOGGED } from "./fake-ledger-tables.ts"
import { WORLD_NOW } from "./fake-world.ts"
import type { Scene } from "./shots.ts"

const verdict = (secondsAgo: number) => {
  const key = WORLD_NOW - secondsAgo * 1_000
  return `/guard?at=${key}&show=${key}`
}
const both = (name: string) => `at=${encodeURIComponent(name)}&show=${encodeURIComponent(name)}`

export const DENIED = verdict(62)
export const HELD = verdict(240)
export const HOSTILE_VERDICT = verdict(2_700)
export const TRYING = "/guard?try=yes&patterns=src%2Ftariff%2F**%2C+migrations%2F**%2C+src%2F%5Bx"
export const LIVE_SESSION = `/sessions?${both(CLAUDE)}`
export const LOGGED_SESSION = `/sessions?tab=logged&${both(LOGGED[0]?.file ?? "")}`
export const CLAIM = `/sessions?tab=claims&${both("src/tariff/rounding.ts")}`
export const DECISION = "/decisions?at=mem_04halfeven&show=mem_04halfeven"

/** Guard, Sessions and Decisions in each of their states; `shots.ts` takes their pictures. */
export const KIT_SCENES: readonly Scene[] = [
  { name: "guard", path: "/guard", state: "populated" },
  { name: "guard-denied", path: DENIED, state: "populated" },
  { name: "guard-held", path: HELD, state: "populated" },
  { name: "guard-hostile", path: HOSTILE_VERDICT, state: "populated" },
  { name: "guard-filtered", path: "/guard?verdict=deny&session=x", state: "populated" },
  { name: "guard-session", path: `/guard?session=${CLAUDE}&rule=risk`, state: "populated" },
  { name: "guard-try", path: TRYING, state: "populated" },
  { name: "guard-override", path: DENIED, state: "populated", act: override },
  { name: "guard-read-only", path: DENIED, state: "read-only" },
  { name: "guard-empty", path: "/guard", state: "empty" },
  { name: "guard-failing", path: "/guard", state: "failing" },
  { name: "sessions", path: "/sessions", state: "populated" },
  { name: "sessions-live", path: LIVE_SESSION, state: "populated" },
  { name: "sessions-logged", path: LOGGED_SESSION, state: "populated" },
  { name: "sessions-claims", path: "/sessions?tab=claims", state: "populated" },
  { name: "sessions-claim", path: CLAIM, state: "populated" },
  { name: "sessions-release", path: CLAIM, state: "populated", act: askToRelease },
  { name: "sessions-unknown", path: "/sessions?show=nobody", state: "populated" },
  { name: "sessions-empty", path: "/sessions", state: "empty" },
  { name: "sessions-failing", path: "/sessions", state: "failing" },
  { name: "decisions", path: "/decisions", state: "populated" },
  { name: "decisions-one", path: DECISION, state: "populated" },
  { name: "decisions-add", path: "/decisions?add=yes", state: "populated", act: forget },
  { name: "decisions-empty", path: "/decisions", state: "empty" },
  { name: "decisions-failing", path: "/decisions", state: "failing" },
]

async function override(page: Page): Promise<void> {
  await page.getByLabel("Reason").fill("The table is generated")
  await page.getByRole("button", { name: "Override", exact: true }).click()
  await page.getByText("may be edited until").waitFor()
}

async function askToRelease(page: Page): Promise<void> {
  await page.keyboard.press("x")
  await page.getByRole("dialog").waitFor()
}

/** Pressed before anything was written: what is missing is said beside its field. */
async function forget(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Add", exact: true }).click()
  await page.getByRole("alert").first().waitFor()
}
