import { useMutation } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { browserClock } from "../clock.ts"
import { useClient } from "../queries.tsx"

type ErrorToasts = { fail(error: ReturnType<typeof toWireError>): void }
type Format = "html" | "jsonl"

export const EXPORT_CHOICES = [
  { value: "export html", label: "Export as HTML", detail: "One page, readable offline" },
  { value: "export jsonl", label: "Export as JSONL", detail: "Can be imported again" },
] as const

export function exportOf(value: string): Format | null {
  if (value === "export html") return "html"
  return value === "export jsonl" ? "jsonl" : null
}

/** Saves a run as a browser download; the server writes no file. */
export function useExport(toasts: ErrorToasts) {
  const client = useClient()
  return useMutation({
    mutationFn: (input: { readonly id: string; readonly format: Format }) =>
      client.read("agents.export", input),
    onSuccess: ({ text }, { id, format }) => saveFile(`${id}.${format}`, text ?? ""),
    onError: (error) => toasts.fail(toWireError(error)),
  })
}

const KEPT_MS = 60_000

export function saveFile(name: string, text: string): void {
  // Not a displayable type: opened as a page it would have this origin.
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  browserClock.after(KEPT_MS, () => URL.revokeObjectURL(url))
}
