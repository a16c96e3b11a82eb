import type { Page } from "playwright-core"
import { runId } from "./fake-runs-tables.ts"
import type { Scene } from "./shots.ts"

const WIRE = `/runs/${runId(31)}/gateway`
const FOLDED = `${WIRE}?at=gw_01tariff.33`
const EXACT = `${WIRE}?at=gw_01tariff.30&tab=exact&piece=6`

/** Gateway in each of its states; `shots.ts` takes their pictures with the others. */
export const GATEWAY_SCENES: readonly Scene[] = [
  { name: "gateway", path: WIRE, state: "populated" },
  { name: "gateway-request", path: FOLDED, state: "populated" },
  { name: "gateway-exact", path: EXACT, state: "populated" },
  { name: "gateway-found", path: `${EXACT}&find=cent`, state: "populated" },
  { name: "gateway-headers", path: `${FOLDED}&tab=headers`, state: "populated" },
  { name: "gateway-agents", path: `${WIRE}?who=agents`, state: "populated" },
  { name: "gateway-latched", path: `/runs/${runId(27)}/gateway`, state: "populated" },
  {
    name: "gateway-not-kept",
    path: "/runs/gw_04shell/gateway?at=gw_04shell.1&tab=exact",
    state: "populated",
  },
  { name: "gateway-unknown", path: `${WIRE}?at=gw_01tariff.99`, state: "populated" },
  { name: "gateway-empty", path: `/runs/${runId(30)}/gateway`, state: "populated" },
  { name: "gateway-no-run", path: "/runs/rn_nobody/gateway", state: "populated" },
  { name: "gateway-why", path: `${WIRE}?at=gw_01tariff.32`, state: "populated" },
  { name: "gateway-counts", path: `${WIRE}?at=gw_01tariff.3`, state: "populated" },
  { name: "gateway-failing", path: WIRE, state: "failing" },
  {
    name: "gateway-delete",
    path: `/runs/${runId(27)}/gateway`,
    state: "populated",
    act: askToDelete,
  },
]

async function askToDelete(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Delete" }).click()
  await page.getByRole("dialog").waitFor()
}
