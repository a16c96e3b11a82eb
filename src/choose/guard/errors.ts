import { defineError } from "#ground/base"

export const NothingToSimulate = defineError<Record<never, never>>()("GUARD_NOTHING_TO_SIMULATE", {
  family: "invalid",
  message: () => "No file is named.",
  hint: () => "Name the files that would change, from the root of the repository.",
})

export const TooManyToSimulate = defineError<{ files: number; most: number }>()(
  "GUARD_TOO_MANY_FILES",
  {
    family: "invalid",
    message: (it) => `${it.files} files would change; one simulation takes ${it.most}.`,
    hint: () => "Name fewer files, or a smaller folder, and simulate in several steps.",
  },
)

export const SimulatedOutside = defineError<{ path: string }>()("GUARD_PATH_OUTSIDE", {
  family: "invalid",
  message: (it) => `${shortened(it.path)} lies outside of the repository.`,
  hint: () => "Name a file below the root of the repository.",
})

export const SimulatedUnreadable = defineError<{ path: string; why: string }>()(
  "GUARD_FILE_UNREADABLE",
  {
    family: "invalid",
    message: (it) => `${shortened(it.path)} cannot be simulated: ${it.why}.`,
    hint: () => "Name a regular file of this repository, or one that is yet to be made.",
  },
)

export const SimulatedChanging = defineError<{ path: string }>()("GUARD_FILE_CHANGING", {
  family: "conflict",
  message: (it) => `${shortened(it.path)} changed again while it was simulated.`,
  hint: () => "Simulate once more when nobody writes the file.",
})

function shortened(path: string): string {
  return path.length <= 80 ? path : `…${path.slice(-79)}`
}
