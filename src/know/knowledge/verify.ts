import {
  type KbContradictions,
  type KbVerification,
  kbOperations,
  type OperationInput,
} from "#ground/contract"
import type { KnowledgeDeps } from "./deps.ts"
import type { LibraryAccess } from "./library-access.ts"
import { citationAccuracy } from "./verify/citation-accuracy.ts"
import { findContradictions } from "./verify/contradictions.ts"
import { entityGrounding } from "./verify/entity-grounding.ts"
import { relationPreservation } from "./verify/relation-preservation.ts"

type VerifyInput = OperationInput<"kb.entities">

export function createVerification(
  deps: Pick<KnowledgeDeps, "judge" | "secrets">,
  access: LibraryAccess,
) {
  /** Labels are positions in the list, so a deleted paragraph leaves its label empty. */
  async function citedIn(ids: readonly string[]) {
    const { library, graph } = await access.open()
    const cited = ids.flatMap((id, at) => {
      const paragraph = library.byId.get(id)
      return paragraph === undefined ? [] : [{ label: `P${at + 1}`, id, paragraph }]
    })
    const texts = cited.map(({ label, id, paragraph: { body } }) => ({
      label,
      id,
      text: body.text,
      citation: body.citation,
    }))
    const edges = () =>
      cited.flatMap(({ paragraph }) =>
        graph()
          .edges(paragraph)
          .filter((it) => it.kind === "refers to")
          .map((it) => ({ from: paragraph.id, to: it.to.id })),
      )
    return { texts, edges }
  }

  /** The result quotes the answer. */
  const redacted = async (answer: string) => (await deps.secrets()).redact(answer).text

  return {
    async entities({ answer, paragraphs }: VerifyInput): Promise<KbVerification> {
      return entityGrounding(await redacted(answer), (await citedIn(paragraphs)).texts)
    },
    async citations({ answer, paragraphs }: VerifyInput): Promise<KbVerification> {
      const { texts } = await citedIn(paragraphs)
      return citationAccuracy(await redacted(answer), texts, await deps.judge?.())
    },
    async relations({ answer, paragraphs }: VerifyInput): Promise<KbVerification> {
      const { texts, edges } = await citedIn(paragraphs)
      return relationPreservation(await redacted(answer), texts, edges())
    },
    async contradictions(input: OperationInput<"kb.contradictions">): Promise<KbContradictions> {
      const { answer, paragraphs } = kbOperations["kb.contradictions"].input.parse(input)
      const { texts } = await citedIn(paragraphs)
      return findContradictions(
        await redacted(answer),
        texts.map((it) => it.text),
      )
    },
  }
}
