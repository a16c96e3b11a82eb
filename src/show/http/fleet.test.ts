import { mkdir, rename, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type App, createApp, registerRepository, repositoryId } from "#show/app"
import { readToken, send, UPGRADE_HEADERS } from "#test/server"
import { tempDirectory } from "#test/temp"
import { open, type ServeCall, up } from "./server/commands.ts"
import { type HttpServer, serve } from "./server/serve.ts"

let folder: Awaited<ReturnType<typeof tempDirectory>>
let alpha: App
let server: HttpServer
let bearer: { readonly authorization: string }

const home = () => path.join(folder.path, "home")

async function openApp(directory: string): Promise<App> {
  const environment = { QM_HOME: home() }
  return createApp({ directory, environment, settings: [], writeLog: () => {} })
}

async function newRepository(name: string): Promise<string> {
  const root = path.join(folder.path, name)
  await mkdir(path.join(root, ".git"), { recursive: true })
  await writeFile(path.join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
  return root
}

beforeAll(async () => {
  folder = await tempDirectory()
  alpha = await openApp(await newRepository("alpha"))
  server = await serve({ app: alpha, port: 0, mayMove: false, openApp })
  bearer = { authorization: `Bearer ${await readToken(home())}` }
})
afterAll(async () => {
  await server.close()
  await alpha[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const ask = (at: string, headers: Readonly<Record<string, string>> = bearer) =>
  send(server.port, { path: at, headers })

async function upIn(root: string, input: Readonly<Record<string, unknown>> = {}) {
  await using app = await openApp(root)
  const said: string[] = []
  const { signal } = new AbortController()
  const call: ServeCall = {
    app,
    input,
    environment: {},
    isTerminal: false,
    signal,
    say: (text) => said.push(text),
  }
  return { code: await up(call), said, call }
}

describe("[HTTP-19] several repositories in one server", () => {
  test("[HTTP-11] qm up in another repository adds it and prints its link in the running server", async () => {
    const root = await newRepository("beta")
    const { code, said } = await upIn(root)
    const id = repositoryId(root)
    expect(code).toBe(0)
    expect(said).toEqual([
      `Quartermaster for ${root}, in the server that already runs`,
      expect.stringMatching(new RegExp(`^ {2}${server.url}/r/${id}/#t=[\\w-]{43}$`)),
    ])
    expect(JSON.parse((await ask(`/r/${id}/api/session`)).text)).toMatchObject({
      repository: { root, name: "beta" },
    })
    expect(JSON.parse((await ask("/api/session")).text)).toMatchObject({
      repository: { name: "alpha" },
    })
    await using app = await openApp(root)
    const said2: string[] = []
    await open({
      app,
      input: {},
      environment: {},
      isTerminal: false,
      say: (it) => said2.push(it),
      signal: new AbortController().signal,
    })
    expect(said2[0]).toContain(`/r/${id}/#t=`)
  })

  test("[HTTP-19] the guard refuses what it refuses at /, and an unknown id is 404", async () => {
    const root = await newRepository("gamma")
    await registerRepository(home(), root, 1)
    const id = repositoryId(root)
    expect((await ask(`/r/${id}/api/now/show`, {})).status).toBe(401)
    expect(
      (await ask(`/r/${id}/api/now/show`, { ...bearer, origin: "https://evil.example" })).status,
    ).toBe(403)
    for (const at of [
      `/r/${id}/../api/session`,
      `/r/${id}//api/session`,
      `/r/${id}/%61pi/session`,
    ]) {
      expect([at, (await ask(at)).status]).toEqual([at, 400])
    }
    const unknown = await ask("/r/nowhere-00000000/api/session")
    expect([unknown.status, JSON.parse(unknown.text).code]).toEqual([404, "APP_REPOSITORY_UNKNOWN"])
    const live = `/r/${id}/live/?EIO=4&transport=websocket`
    expect((await ask(live, { ...UPGRADE_HEADERS })).status).toBe(401)
    expect((await ask(live, { ...bearer, ...UPGRADE_HEADERS })).status).toBe(101)
  })

  test("[HTTP-19] the own repository is the same at / and at its id, and writes stay in their repository", async () => {
    const own = `/r/${repositoryId(alpha.places.repository.root)}`
    expect((await ask(`${own}/api/session`)).text).toBe((await ask("/api/session")).text)
    const root = await newRepository("delta")
    await registerRepository(home(), root, 2)
    const delta = `/r/${repositoryId(root)}`
    const written = await send(server.port, {
      method: "POST",
      path: `${delta}/api/store/backup`,
      headers: { ...bearer, "content-type": "application/json" },
      body: "{}",
    })
    expect([written.status, written.text.includes(root)]).toEqual([200, true])
    const names = async (at: string) =>
      JSON.parse((await ask(`${at}/api/events/list`)).text).entries.map(
        (it: { name: string }) => it.name,
      )
    expect(await names(delta)).toContain("store.backed-up")
    expect(await names("")).not.toContain("store.backed-up")
  })

  test("[HTTP-19] a repository whose folder is missing is an error, and opens once it is back", async () => {
    const root = await newRepository("epsilon")
    await registerRepository(home(), root, 3)
    const at = `/r/${repositoryId(root)}/api/session`
    await rename(root, `${root}-away`)
    expect(JSON.parse((await ask(at)).text)).toMatchObject({ code: "APP_DIRECTORY_MISSING" })
    await rename(`${root}-away`, root)
    expect((await ask(at)).status).toBe(200)
  })
})
