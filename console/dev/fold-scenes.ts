import type { Scene } from "./shots.ts"

const AT = "at=fb_01callers&show=fb_01callers"

/** Folds in each of its states; `shots.ts` takes their pictures with the others. */
export const FOLD_SCENES: readonly Scene[] = [
  { name: "folds", path: "/folds", state: "populated" },
  { name: "folds-branch", path: `/folds?${AT}`, state: "populated" },
  { name: "folds-trail", path: `/folds?${AT}&tab=trail&step=2`, state: "populated" },
  { name: "folds-prompt", path: `/folds?${AT}&tab=prompt`, state: "populated" },
  { name: "folds-restored", path: `/folds?${AT}&tab=restored`, state: "populated" },
  { name: "folds-active", path: "/folds?at=fb_07october&show=fb_07october", state: "populated" },
  {
    name: "folds-forced",
    path: "/folds?at=fb_05currencies&show=fb_05currencies",
    state: "populated",
  },
  { name: "folds-hostile", path: "/folds?at=fb_10hostile&show=fb_10hostile", state: "populated" },
  { name: "folds-many", path: "/folds?all=yes&closed=session+s-claude-31", state: "populated" },
  { name: "folds-found", path: "/folds?text=cent", state: "populated" },
  { name: "folds-nothing", path: "/folds?text=zzz", state: "populated" },
  { name: "folds-unknown", path: "/folds?show=fb_nobody", state: "populated" },
  { name: "folds-empty", path: "/folds", state: "empty" },
  { name: "folds-failing", path: "/folds", state: "failing" },
]
