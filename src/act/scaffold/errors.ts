import { defineError } from "#ground/base"

export const NoSource = defineError<{ path: string }>()("SCAFFOLD_NO_SOURCE", {
  family: "not-found",
  message: (it) => `${it.path} has no source file with exported symbols in a known language.`,
  hint: () => "Name a source file or folder of Node, Python, Go, Rust or PHP code.",
})

export const TargetRefused = defineError<{ path: string; reason: string }>()(
  "SCAFFOLD_NOT_WRITABLE",
  {
    family: "denied",
    message: (it) => `The starter test ${it.path} cannot be written: ${it.reason}.`,
    hint: () => "Nothing was written. Correct the folder, or name fewer source files.",
  },
)
