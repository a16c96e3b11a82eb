import { defineError } from "#ground/base"

export const NothingToSimulate = defineError<Record<never, never>>()("GUARD_NOTHING_TO_SIMULATE", {
  family: "invalid",
  message: () => "No file was given.",
  hint: () =>
    "Pass the files that would change, relative to the repository root: `qm simulate src/main.ts`.",
})

export const TooManyToSimulate = defineError<{ files: number; most: number }>()(
  "GUARD_TOO_MANY_FILES",
  {
    family: "invalid",
    message: (it) => `${it.files} files would change; one simulation takes at most ${it.most}.`,
    hint: () => "Pass fewer files or a smaller folder, and simulate in several steps.",
  },
)

export const SimulatedOutside = defineError<{ path: string }>()("GUARD_PATH_OUTSIDE", {
  family: "invalid",
  message: (it) => `${shortened(it.path)} is outside the repository.`,
  hint: () => "Pass a path below the root of the repository.",
})

export const SimulatedUnreadable = defineError<{ path: string; why: string }>()(
  "GUARD_FILE_UNREADABLE",
  {
    family: "invalid",
    message: (it) => `${shortened(it.path)} cannot be simulated: ${it.why}.`,
    hint: () => "Pass a regular file of this repository, or a path that does not exist yet.",
  },
)

export const SimulatedChanging = defineError<{ path: string }>()("GUARD_FILE_CHANGING", {
  family: "conflict",
  message: (it) => `${shortened(it.path)} changed again during the simulation.`,
  hint: () => "Run the simulation again when no other process writes the file.",
})

function shortened(path: string): string {
  return path.length <= 80 ? path : `…${path.slice(-79)}`
}
