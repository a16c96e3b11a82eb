import { createHash } from "node:crypto"
import { z } from "zod"

/** JSON a person can read, with the digest by which an edit or a cut shows. */
export function seal(content: unknown): string {
  const whole = { version: 1, sha256: digestOf(content), content }
  return `${JSON.stringify(whole, null, 2)}\n`
}

const Sealed = z.object({ version: z.literal(1), sha256: z.string(), content: z.unknown() })

export type Unsealed<Content> =
  | { readonly kind: "whole"; readonly content: Content }
  | { readonly kind: "damaged"; readonly problem: string }

export function unseal<Shape extends z.ZodType>(
  text: string,
  shape: Shape,
): Unsealed<z.output<Shape>> {
  const sealed = Sealed.safeParse(jsonOf(text))
  if (!sealed.success) return { kind: "damaged", problem: "it is not what was written" }
  if (digestOf(sealed.data.content) !== sealed.data.sha256)
    return { kind: "damaged", problem: "it was edited" }
  const content = shape.safeParse(sealed.data.content)
  if (!content.success) return { kind: "damaged", problem: "it has another shape" }
  return { kind: "whole", content: content.data }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function digestOf(content: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(content) ?? "")
    .digest("hex")
}
