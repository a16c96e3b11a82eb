import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { GatewayList, GatewayShow } from "#ground/contract"
import type { CanaryEntry } from "./canary-fixture.ts"
import { ofOneLine, textOf } from "./canary-search.ts"

async function echoingProvider() {
  const heard: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      heard.push(JSON.stringify(request.headers))
      response.writeHead(400, { "content-type": "application/json", "x-echo": "yes" })
      response.end(JSON.stringify({ type: "error", error: { message: body } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A small host: keys in headers and query, text and its address in the body. */
const HOST = `
const given = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"))
const url = process.env.ANTHROPIC_BASE_URL + "/v1/messages?key=" + encodeURIComponent(given.keys[0])
const headers = { "content-type": "application/json", "x-api-key": given.keys[1],
  authorization: "Bearer " + given.keys[2], cookie: given.keys[3], "x-claude-code-session-id": "s-1" }
given.body.messages.push({ role: "user", content: "I ask at " + process.env.ANTHROPIC_BASE_URL })
fetch(url, { method: "POST", headers, body: JSON.stringify(given.body) }).then((it) => it.text())
`

/** A host's requests to its model: keys in headers, text of all kinds in the body. */
export const GATEWAY: readonly CanaryEntry[] = [
  {
    name: "a request through the gateway, its texts kept",
    async put(fixture, canaries) {
      await using provider = await echoingProvider()
      const line = ofOneLine(canaries)
      const keys = line.slice(0, 4).map((it) => it.text)
      const words = textOf(canaries)
      const body = {
        model: "claude-opus-5-5",
        system: [{ type: "text", text: words }],
        tools: line.slice(0, 20).map((it) => ({ name: it.text, description: it.text })),
        messages: [
          { role: "user", content: [{ type: "text", text: words }] },
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: words } }],
          },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "t1", content: words }],
          },
        ],
      }
      await fixture.write("sent.json", JSON.stringify({ keys, body }))
      for (const mode of ["record", "fold"]) {
        const command = ["--", process.execPath, "-e", HOST, `${fixture.user.path}/sent.json`]
        const args = ["gateway", "run", "--mode", mode, "--content", "--wire", "anthropic"]
        const ran = await fixture.user.qm([...args, ...command], {
          env: { QM_LOG_LEVEL: "debug", ANTHROPIC_BASE_URL: provider.url },
        })
        if (ran.code !== 0) throw new Error(`the host failed: ${ran.stderr.slice(0, 300)}`)
        fixture.hear("stderr of qm gateway run", ran.stderr)
      }
      if (provider.heard.length !== 2) throw new Error("nothing came through")
      const { sessions } = GatewayList.parse(JSON.parse((await fixture.get("gateway.list")).text))
      for (const { id } of sessions) {
        const shown = await fixture.get("gateway.show", { id })
        const { requests } = GatewayShow.parse(JSON.parse(shown.text))
        if (requests.length !== 1) throw new Error("a request was not recorded")
        await fixture.get("gateway.request", { id, seq: "1" })
        const { text: kept } = await fixture.get("gateway.texts", { id, seq: "1", limit: "500" })
        if (!kept.includes("I ask at http")) throw new Error("texts were not kept")
        if (/qmgw_[0-9a-f]/.test(kept)) throw new Error("an address of the gateway was kept")
        await fixture.qm(["gateway", "show", id])
        await fixture.qm(["gateway", "texts", id, "1"])
      }
    },
  },
]
