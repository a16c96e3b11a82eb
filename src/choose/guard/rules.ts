import type { Rule } from "./event.ts"
import { boot } from "./rules/boot.ts"
import { concurrency } from "./rules/concurrency.ts"
import { drift } from "./rules/drift.ts"
import { loaded } from "./rules/loaded.ts"
import { packageRule } from "./rules/package.ts"
import { pitfall } from "./rules/pitfall.ts"
import { risk } from "./rules/risk.ts"
import { track } from "./rules/track.ts"

/** Every hook that judges. Those that can refuse come first. */
export const RULES: readonly Rule[] = [
  concurrency,
  risk,
  drift,
  track,
  boot,
  packageRule,
  pitfall,
  loaded,
]
