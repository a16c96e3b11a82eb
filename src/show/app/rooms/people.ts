import path from "node:path"
import { z } from "zod"
import { parseJson, readTextBounded } from "#ground/base"
import { createPeople, type People, peopleHandlers } from "#ground/people"
import type { Services } from "../services.ts"

type PeopleDeps = Pick<Services, "clock" | "random" | "store">

export async function openPeople({ store, clock, random }: PeopleDeps): Promise<People> {
  return createPeople({ db: (await store()).forRoom("people"), clock, random })
}

export const openPeopleHandlers = (deps: Pick<Services, "config" | "people" | "places">) =>
  peopleHandlers({ people: deps.people, serverUrl: () => findServerUrl(deps) })

const RECORD_LIMIT_BYTES = 1_000
const Record = z.object({ url: z.string() })

/** The address of the settings, or of the server that was last started for this repository. */
async function findServerUrl({ config, places }: Pick<Services, "config" | "places">) {
  const { url } = config().team
  if (url !== "") return url.endsWith("/") ? url.slice(0, -1) : url
  const file = path.join(places().repository.stateDirectory, "server.json")
  const outcome = await readTextBounded(file, { maxBytes: RECORD_LIMIT_BYTES })
  const record = Record.safeParse(outcome.kind === "read" ? parseJson(outcome.text) : undefined)
  return record.success ? record.data.url : ""
}
