/** The shapes of the wire, as far as the fake server builds them. */
export type Cursor = { epoch: string; seq: number }

export type JournalEntry = {
  epoch: string
  seq: number
  id: string
  at: number
  name: string
  version: number
  body: Record<string, unknown>
}

export type OperationEntry = {
  readonly name: string
  readonly summary: string
  readonly effect: "read" | "write"
  readonly method: "GET" | "POST"
  readonly path: string
  readonly input: object
}
