import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { settle, visit } from "./visit.ts"
import { startWorld, type World } from "./world.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let world: World

beforeAll(async () => {
  ;[chromium, world] = await Promise.all([launchChromium(), startWorld({ backups: 3 })])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

test.each([
  ["/", "Now", "9 of 9 checks pass"],
  ["/events", "Events", "store.backed-up"],
  ["/settings", "Settings", "store.keepBackups"],
  ["/no/such/page", "Not found", "There is no page at this address"],
])("x %s", async (path, heading, content) => {
  await using window = await visit(chromium.browser, world, { path })
  await window.page.getByRole("heading", { name: heading, level: 1 }).waitFor()
  await window.page.getByText(content).first().waitFor()
  await settle(window.page)
  expect(window.problems()).toEqual([])
})
