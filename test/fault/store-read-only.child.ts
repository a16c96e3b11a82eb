import { AppError } from "#ground/base"
import { openTestStore, say } from "./store-journal.ts"

const file = `${process.argv[2]}/qm/store.db`
const error: unknown = await openTestStore({ kind: "sqlite", file }).catch((it: unknown) => it)
if (error instanceof AppError) say(`${error.code} ${(error.data as { path: string }).path}`)
else say(String(error))
