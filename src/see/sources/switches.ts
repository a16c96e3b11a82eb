import { z } from "zod"
import { type Db, sql } from "#ground/store"

const SwitchRow = z.object({
  slug: z.string(),
  isOn: z.coerce.number().transform((it) => it === 1),
})

type SwitchDeps = {
  db(): Promise<Db<"sources">>
  /** The run that has a host's session, or the session itself. */
  sessionKey?(session: string): Promise<string>
  /** Sources that are on in every session, from the settings; `*` is all. */
  alwaysOn?(): readonly string[]
}

type SwitchState = { readonly isOn: boolean; readonly at: number }

/**
 * Which sources agents of a session may call. A source is off until the user, or a recipe that the
 * user mentions, switches it on: its texts are untrusted, and its calls leave the machine.
 */
export function createSwitches({ db, sessionKey, alwaysOn = () => [] }: SwitchDeps) {
  const keyOf = async (session: string): Promise<string> => (await sessionKey?.(session)) ?? session
  return {
    async set(session: string, slugs: readonly string[], state: SwitchState): Promise<void> {
      const key = await keyOf(session)
      const isOn = state.isOn ? 1 : 0
      await (await db()).transaction(async (tx) => {
        for (const slug of slugs) {
          await tx.run(sql`INSERT INTO source_switches (session, slug, is_on, at)
            VALUES (${key}, ${slug}, ${isOn}, ${state.at})
            ON CONFLICT (session, slug) DO UPDATE SET is_on = excluded.is_on, at = excluded.at`)
        }
      })
    },
    async of(session: string): Promise<(slug: string) => boolean> {
      const key = await keyOf(session)
      const rows = await (await db()).all(
        SwitchRow,
        sql`SELECT slug, is_on AS "isOn" FROM source_switches WHERE session = ${key}`,
      )
      const stored = new Map(rows.map(({ slug, isOn }) => [slug, isOn]))
      const always = alwaysOn()
      return (slug) => stored.get(slug) ?? (always.includes(slug) || always.includes("*"))
    },
  }
}
