/** Secrets are replaced before anything of a file is kept or told; who knows them hands this in. */
export type Scrub = {
  redact(text: string): string
  /** Of anything JSON can hold: the same structure with its strings redacted. */
  redactJson(value: unknown): unknown
}
