import type { Page } from "playwright-core"
import type { Scene } from "./shots.ts"

const OPEN = "open=src&open=src%2Ftariff"
const FILE = encodeURIComponent("src/tariff/rounding.ts")
const SYMBOL = encodeURIComponent("src/tariff/rounding.ts#roundLine")

/** Map in each of its states; `shots.ts` takes their pictures with the others. */
export const MAP_SCENES: readonly Scene[] = [
  { name: "map", path: `/map?${OPEN}`, state: "populated" },
  { name: "map-file", path: `/map?${OPEN}&at=${FILE}&show=${FILE}`, state: "populated" },
  { name: "map-imports", path: `/map?${OPEN}&show=${FILE}&tab=imports`, state: "populated" },
  { name: "map-symbol", path: `/map?${OPEN}&at=${FILE}&show=${SYMBOL}`, state: "populated" },
  { name: "map-one-hop", path: `/map?${OPEN}&show=${SYMBOL}&hops=1`, state: "populated" },
  { name: "map-hostile", path: `/map?${OPEN}&open=src%2Ftariff%2Fsurcharges`, state: "populated" },
  { name: "map-many", path: "/map?open=data&open=data%2Fstations", state: "populated" },
  { name: "map-words", path: "/map?text=rounding+of+cents", state: "populated" },
  { name: "map-path", path: "/map?text=rounding&by=path", state: "populated" },
  { name: "map-nothing", path: "/map?text=nothing", state: "populated" },
  { name: "map-unknown", path: "/map?show=no%2Fsuch.ts", state: "populated" },
  { name: "map-scanned", path: "/map", state: "populated", act: scan },
  { name: "map-never", path: "/map", state: "empty" },
  { name: "map-failing", path: "/map", state: "failing" },
]

async function scan(page: Page): Promise<void> {
  await page.keyboard.press("r")
  await page.getByText("3 files changed").waitFor()
}
