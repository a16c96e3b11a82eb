import type { Services } from "./services.ts"

/**
 * Whether the room has ever changed something: a change and its event are one transaction, and no
 * event is ever deleted. Without one, the room need not be loaded to list what it has.
 */
export async function checkForEvents(
  room: "agents" | "gateway" | "pipeline",
  { store }: Pick<Services, "store">,
): Promise<boolean> {
  const { journal } = await store()
  const { entries } = await journal.readNewest({ limit: 1, namePrefix: `${room}.` })
  return entries.length > 0
}
