import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { ask, type PostgresCluster, startPostgres } from "#test/postgres"
import { follow, newServer, say, stored } from "#test/server"

describe.runIf(needs("N1", "postgres"))("two servers on one Postgres", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())

  test("[N1] a client of one server receives the writes of the other, in order and once", async () => {
    const environment = { QM_DATABASE_URL: await cluster.createDatabase() }
    await using first = await newServer({ environment })
    await using second = await newServer({ environment })
    const stores = [await first.store(), await second.store()] as const
    const from = { ...(await stores[0].journal.head()), seq: 0 }
    using one = follow(first.serving().url, { token: await first.token(), after: from })
    using two = follow(second.serving().url, { token: await second.token(), after: from })

    await Promise.all(
      stores.map(async (store, node) => {
        for (let n = 0; n < 50; n++) await say(store, 3, `node ${node}`)
      }),
    )
    const all = await stored(stores[0])
    await Promise.all([one, two].map((it) => it.until(() => it.entries.length >= all.length)))
    expect(all).toHaveLength(301)
    expect(one.entries).toEqual(all)
    expect(two.entries).toEqual(all)
  })

  test("[N1] events arrive after the listening connections were killed, and while they are gone", async () => {
    const url = await cluster.createDatabase()
    await using first = await newServer({ environment: { QM_DATABASE_URL: url } })
    await using second = await newServer({ environment: { QM_DATABASE_URL: url } })
    const from = { ...(await (await first.store()).journal.head()), seq: 0 }
    using reader = follow(first.serving().url, { token: await first.token(), after: from })
    const writer = await second.store()

    for (let round = 0; round < 3; round++) {
      await say(writer, 10, "before")
      await reader.until(() => reader.entries.length >= 1 + round * 20 + 10)
      await untilListening(url)
      const killed = await ask(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'qm-listen' AND datname = current_database()`,
      )
      expect(killed.length).toBeGreaterThan(0)
      await say(writer, 10, "after")
      await reader.until(() => reader.entries.length >= 1 + (round + 1) * 20)
    }
    expect(reader.entries).toEqual(await stored(writer))
  })
})

async function untilListening(url: string): Promise<void> {
  for (;;) {
    const found = await ask(
      url,
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'qm-listen'
       AND query LIKE 'LISTEN%' AND datname = current_database()`,
    )
    if (found.length > 0) return
  }
}
