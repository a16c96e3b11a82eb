/** What the scripted model says: words, or a call of one of the host's tools. */
export type Answer =
  | { readonly kind: "say"; readonly text: string }
  | {
      readonly kind: "call"
      readonly name: string
      readonly input: object
      readonly namespace?: string
    }
  /** A tool that takes plain text, as Codex has them. */
  | {
      readonly kind: "text-call"
      readonly name: string
      readonly text: string
      readonly namespace?: string
    }

/** One request for an answer. */
export type Question = {
  /** The whole body, as text: what was told to the model is in it. */
  readonly text: string
  /** How many answers of this conversation the host has already worked on. */
  readonly turn: number
}

export type Script = (question: Question) => Answer

/** How a host speaks to its model. */
export type Dialect = {
  isQuestion(path: string): boolean
  /** Undefined for a body that is no question of this dialect. */
  read(body: unknown, text: string): Question | undefined
  /** Events of the answer, as they are streamed. */
  write(answer: Answer, number: number): readonly StreamedEvent[]
}

export type StreamedEvent = { readonly type: string } & Readonly<Record<string, unknown>>
