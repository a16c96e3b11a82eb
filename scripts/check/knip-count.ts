/**
 * A knip reporter that prints the number of checked files, so that a run without input is noticed.
 */
type Run = { readonly counters: { readonly processed: number; readonly total: number } }

// knip requires a default export.
export default function countFiles({ counters }: Run): void {
  process.stdout.write(`knip: ${counters.total} files\n`)
}
