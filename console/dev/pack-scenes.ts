import { TASK } from "./fake-pack.ts"
import type { Scene } from "./shots.ts"

const FILE = encodeURIComponent("src/tariff/rounding.ts")
const PACK = `/pack?task=${encodeURIComponent(TASK)}&role=backend&pin=${FILE}`

/** Pack in each of its states; `shots.ts` takes their pictures with the others. */
export const PACK_SCENES: readonly Scene[] = [
  { name: "pack", path: `${PACK}&at=${FILE}`, state: "populated" },
  { name: "pack-chosen", path: `${PACK}&at=${FILE}&pane=chosen`, state: "populated" },
  {
    name: "pack-preview",
    path: `${PACK}&at=${FILE}&pane=preview&tab=markdown`,
    state: "populated",
  },
  { name: "pack-mixed", path: `${PACK}&drop=docs/tariffs.md&mention=${FILE}`, state: "populated" },
  { name: "pack-start", path: "/pack", state: "populated" },
  { name: "pack-start-empty", path: "/pack", state: "empty" },
  { name: "pack-start-failing", path: "/pack", state: "failing" },
  { name: "pack-nothing", path: "/pack?task=nothing", state: "populated" },
  { name: "pack-refused", path: `${PACK}&budget=20`, state: "populated" },
  { name: "pack-many", path: "/pack?task=everything&turned=group%3Abelow", state: "populated" },
  { name: "pack-kept", path: "/pack?id=pk_3", state: "populated" },
  { name: "pack-compare", path: "/pack?compare=yes", state: "populated" },
]
