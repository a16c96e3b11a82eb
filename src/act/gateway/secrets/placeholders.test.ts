import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { systemRandom } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { ask, gatewayFixture, KEY, SETTINGS } from "#test/gateway-room"
import { fcParameters, seed } from "#test/seed"
import { createSpecimens } from "../../../../test/corpus/secret-kinds.ts"
import { createSecretWire } from "./placeholders.ts"
import { createRestorer } from "./restore.ts"

const token = (name: string) =>
  `ghp_${createHash("sha256").update(name).digest("hex").slice(0, 36)}`
const secrets = createSecrets({ random: systemRandom })
const newWire = (known: readonly string[] = []) =>
  createSecretWire({ secrets: createSecrets({ random: systemRandom, known }), key: KEY })
const jsonOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const NAME = /QMSECRET_[A-Z0-9_]+_[0-9A-F]{12}/g

const said = (role: string, ...content: readonly object[]) => ({ role, content })
const text = (words: string) => ({ type: "text", text: words })
const result = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content })
const call = (id: string, input: object) => ({ type: "tool_use", id, name: "Bash", input })

describe("createSecretWire", () => {
  it("[GATE-110] a body without secrets is not changed, and around a secret every byte stays", () => {
    const wire = newWire()
    expect(wire.protect(jsonOf({ messages: [said("user", text("hello"))] }))).toBeUndefined()
    const secret = token("a")
    const body = `{ "n": 1.0, "big": 12345678901234567890,\n "a": "\\u00e9 ${secret}\\n", "b":"é" }`
    const own = wire.protect(Buffer.from(body))
    const [name = ""] = own?.values.keys() ?? []
    expect(own?.body.toString()).toBe(body.replace("\\u00e9", "é").replace(secret, name))
    expect(name).toMatch(/^QMSECRET_GITHUB_TOKEN_[0-9A-F]{12}$/)
    expect(own?.values.get(name)).toBe(secret)
  })

  it("[GATE-110] a value has one placeholder in every request, text and encoding, also after a restart", () => {
    const secret = token("b")
    const first = newWire()
    const one = first.protect(jsonOf({ a: `TOKEN=${secret}`, b: [`x ${secret} y`] }))
    const two = newWire().protect(jsonOf({ z: `https://u:${secret}@h.example/` }))
    const names = one?.body.toString().match(NAME) ?? []
    expect(new Set(names).size).toBe(1)
    expect(two?.body.toString()).not.toContain(secret)
    const again = first.protect(jsonOf({ a: `TOKEN=${secret}`, b: [`x ${secret} y`] }))
    expect(again?.body).toEqual(one?.body)
    const echoed = first.protect(jsonOf({ a: `password = ${names[0]}`, b: secret }))
    expect(echoed?.body.toString()).toBe(
      jsonOf({ a: `password = ${names[0]}`, b: names[0] }).toString(),
    )
  })

  it("[GATE-110] a value found by its name is replaced where it stands alone, and by a name in JSON", () => {
    const value = `Zx9${createHash("sha256").update("c").digest("base64url").slice(0, 20)}`
    const wire = newWire()
    const own = wire.protect(
      jsonOf({ first: `it was ${value} then`, second: `DB_PASSWORD=${value}` }),
    )
    expect(own?.body.toString()).not.toContain(value)
    const named = newWire().protect(jsonOf({ input: { api_key: value } }))
    expect(named?.body.toString()).not.toContain(value)
  })

  it("[GATE-110] thinking, signatures and pictures stay, and known values are found without a form", () => {
    const known = "correct horse battery staple 7"
    const body = {
      thinking: token("d"),
      signature: token("d"),
      data: token("d"),
      text: `say ${known} now`,
    }
    const own = newWire([known]).protect(jsonOf(body))
    const kept = JSON.parse(own?.body.toString() ?? "{}")
    expect([kept.thinking, kept.signature, kept.data]).toEqual([token("d"), token("d"), token("d")])
    expect(kept.text).not.toContain("horse")
  })

  it("[GATE-132] a request after others is replaced as a request on its own", () => {
    const word = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.constantFrom("s1", "s2", "s3").map((it) => `x ${token(it)} é`),
      fc.constantFrom(
        "DB_PASSWORD=Tr0ub4dor-and-3-9Q",
        "it was Tr0ub4dor-and-3-9Q then",
        'a "quoted" \\\\ path',
      ),
    )
    const message = fc.record({ text: word, api_key: word, n: fc.nat() })
    fc.assert(
      fc.property(
        fc.array(fc.array(message, { maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat()),
        (parts, cuts) => {
          const wire = newWire()
          const bodies: Buffer[] = []
          let before: readonly object[] = []
          for (const part of parts) {
            before = [...before.slice(0, (cuts.next().value ?? 0) % (before.length + 1)), ...part]
            const body = jsonOf({ model: "m", messages: before, stream: true })
            bodies.push(body)
            // Its values are known to it in the same order, but it has no body to compare with.
            const alone = newWire()
            for (const it of bodies.slice(0, -1))
              alone.protect(Buffer.concat([Buffer.from(" "), it]))
            const expected = alone.protect(Buffer.concat([Buffer.from("\n"), body]))
            const own = wire.protect(body)
            expect(own?.body.toString()).toBe(expected?.body.toString().slice(1))
            expect(own?.values).toEqual(expected?.values)
            expect(own?.kinds).toEqual(expected?.kinds)
          }
        },
      ),
      fcParameters({ numRuns: 100 }),
    )
  })

  it("[GATE-132] a value that becomes known later is replaced in the unchanged start too", () => {
    const value = `Zx9${createHash("sha256").update("later").digest("base64url").slice(0, 20)}`
    const wire = newWire()
    const start = said("user", text(`it was ${value} then`))
    expect(wire.protect(jsonOf({ messages: [start] }))).toBeUndefined()
    const later = said("user", text(`DB_PASSWORD=${value}`))
    expect(wire.protect(jsonOf({ messages: [start, later] }))?.body.toString()).not.toContain(value)
  })

  it("[GATE-110] a damaged string is scanned as it is written", () => {
    for (const body of [`{"a":"${token("x")}`, `{"a":"\\x ${token("x")}","b":1}`]) {
      const own = newWire().protect(Buffer.from(body))
      const [name = ""] = own?.values.keys() ?? []
      expect(own?.body.toString()).toBe(body.replace(token("x"), name))
    }
  })

  it("[GATE-110] for any JSON nothing throws, and the structure stays", () => {
    const wire = newWire()
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const own = wire.protect(jsonOf({ value, token: `TOKEN=${token("e")}` }))
        const shape = JSON.parse(own?.body.toString() ?? "null")
        expect(JSON.stringify(shape.value)).toBe(JSON.stringify(value))
      }),
      fcParameters({ numRuns: 300 }),
    )
  })
})

/** Splits a stream at random places, also inside events and characters. */
const anyCuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 })
function cut(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

const VALUES = new Map([
  ["QMSECRET_PASSWORD_0123456789AB", 'a "quoted"\nline \\ é'],
  ["QMSECRET_PASSWORD_0123456789AC", "plain"],
])
const [FIRST = "", SECOND = ""] = VALUES.keys()
const frame = (data: object, type = "") =>
  `${type === "" ? "" : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`

function restore(
  wire: "anthropic" | "openai" | "gemini",
  stream: string,
  sizes: readonly number[],
) {
  const restorer = createRestorer(VALUES, { wire, isStream: true })
  const chunks = cut(Buffer.from(stream), sizes).map((it) => restorer.push(it))
  return Buffer.concat([...chunks, restorer.end()]).toString("utf8")
}
const dataOf = (stream: string) =>
  [...stream.matchAll(/^data: (\{.*)$/gm)].map((it) => JSON.parse(it[1] ?? ""))

describe("createRestorer", () => {
  const input = {
    command: `curl -u "x:${FIRST}" é`,
    other: [SECOND, `${FIRST}${SECOND}`, "QMSECRET_"],
  }
  const restored = JSON.parse(
    JSON.stringify(input)
      .replaceAll(FIRST, JSON.stringify(VALUES.get(FIRST)).slice(1, -1))
      .replaceAll(SECOND, "plain"),
  )
  const cutText = (whole: string, size: number) =>
    whole.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? []

  it("[GATE-111] in any split of deltas and bytes, calls get the values and all other events keep their bytes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), anyCuts, (size, sizes) => {
        const json = JSON.stringify(input)
        const start = { type: "tool_use", id: "t1", name: "Bash", input: {} }
        const others = [
          frame(
            { type: "message_start", message: { usage: { input_tokens: 1 } } },
            "message_start",
          ),
          frame(
            { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: FIRST } },
            "content_block_delta",
          ),
        ]
        const stream = [
          ...others,
          frame(
            { type: "content_block_start", index: 1, content_block: start },
            "content_block_start",
          ),
          ...cutText(json, size).map((it) =>
            frame(
              {
                type: "content_block_delta",
                index: 1,
                delta: { type: "input_json_delta", partial_json: it },
              },
              "content_block_delta",
            ),
          ),
          frame({ type: "content_block_stop", index: 1 }, "content_block_stop"),
          "event: ping\r\ndata: {}\r\n\r\n",
        ].join("")
        const out = restore("anthropic", stream, sizes)
        expect(out.startsWith(others.join(""))).toBe(true)
        expect(out.endsWith("event: ping\r\ndata: {}\r\n\r\n")).toBe(true)
        const parts = dataOf(out).filter((it) => it.index === 1 && it.delta)
        expect(JSON.parse(parts.map((it) => it.delta.partial_json).join(""))).toEqual(restored)
      }),
      fcParameters({ numRuns: 150 }),
    )
  })

  it("[GATE-111] calls of the provider's own tools keep the placeholders", () => {
    const block = { type: "server_tool_use", id: "s", name: "web_search", input: {} }
    const stream =
      frame({ type: "content_block_start", index: 0, content_block: block }) +
      frame({
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: FIRST },
      }) +
      frame({ type: "content_block_stop", index: 0 })
    expect(restore("anthropic", stream, [7])).toBe(stream)
  })

  it("[GATE-111] responses, chat completions and Gemini are restored in streams", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), anyCuts, (size, sizes) => {
        const json = JSON.stringify(input)
        const item = { type: "function_call", name: "shell", arguments: json }
        const responses = [
          ...cutText(json, size).map((delta) =>
            frame({
              type: "response.function_call_arguments.delta",
              item_id: "i",
              output_index: 0,
              delta,
            }),
          ),
          frame({
            type: "response.function_call_arguments.done",
            item_id: "i",
            output_index: 0,
            arguments: json,
          }),
          ...cutText(FIRST, size).map((delta) =>
            frame({
              type: "response.custom_tool_call_input.delta",
              item_id: "c",
              output_index: 1,
              delta,
            }),
          ),
          frame({
            type: "response.custom_tool_call_input.done",
            item_id: "c",
            output_index: 1,
            input: FIRST,
          }),
          frame({ type: "response.output_item.done", output_index: 0, item }),
          frame({ type: "response.completed", response: { output: [item] } }),
        ].join("")
        const events = dataOf(restore("openai", responses, sizes))
        const joined = (type: string) =>
          events
            .filter((it) => it.type === type)
            .map((it) => it.delta)
            .join("")
        expect(JSON.parse(joined("response.function_call_arguments.delta"))).toEqual(restored)
        expect(joined("response.custom_tool_call_input.delta")).toBe(VALUES.get(FIRST))
        const done = events.filter((it) => /done$|completed$/.test(it.type))
        expect(JSON.parse(done[0].arguments)).toEqual(restored)
        expect(done[1].input).toBe(VALUES.get(FIRST))
        expect(JSON.parse(done[2].item.arguments)).toEqual(restored)
        expect(JSON.parse(done[3].response.output[0].arguments)).toEqual(restored)

        const chat = [
          ...cutText(json, size).map((it) =>
            frame({
              choices: [
                {
                  index: 0,
                  delta: { tool_calls: [{ index: 0, function: { arguments: it } }] },
                  finish_reason: null,
                },
              ],
            }),
          ),
          frame({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
        ].join("")
        const parts = dataOf(restore("openai", chat, sizes)).flatMap(
          (it) => it.choices[0].delta.tool_calls ?? [],
        )
        expect(JSON.parse(parts.map((it) => it.function.arguments).join(""))).toEqual(restored)
        const gemini = frame({
          candidates: [{ content: { parts: [{ functionCall: { name: "f", args: input } }] } }],
        })
        const [answer] = dataOf(restore("gemini", gemini, sizes))
        expect(answer.candidates[0].content.parts[0].functionCall.args).toEqual(restored)
      }),
      fcParameters({ numRuns: 100 }),
    )
  })
})

const PROTECTED = { settings: () => ({ ...SETTINGS, secrets: "replace" as const }) }

describe("secrets of a proxied session", () => {
  it("[GATE-112] no canary of any kind is on the wire, and every call gets its value back", async () => {
    const specimens = createSpecimens(seed())()
    expect(new Set(specimens.map((it) => it.kind)).size).toBe(160)
    const known = specimens.map((it) => it.value)
    await using fixture = await gatewayFixture({
      ...PROTECTED,
      secrets: async () => createSecrets({ random: systemRandom, known }),
    })
    // Each name is called back as one call, in parts of three characters.
    fixture.provider.say.stream = (body) =>
      [...new Set(body.match(NAME))].flatMap((name, index) => [
        frame({
          type: "content_block_start",
          index,
          content_block: { type: "tool_use", id: `c${index}`, name: "Bash", input: {} },
        }),
        ...(JSON.stringify({ command: `echo '${name}'` }).match(/.{1,3}/gs) ?? []).map((it) =>
          frame({
            type: "content_block_delta",
            index,
            delta: { type: "input_json_delta", partial_json: it },
          }),
        ),
        frame({ type: "content_block_stop", index }),
      ])
    for (const mode of ["record", "fold"] as const) {
      const proxied = await fixture.proxy({ mode })
      const messages = specimens.flatMap(({ name = "SETTING", value }, at) => [
        said("assistant", call(`t${at}`, { command: `cat ${at}` })),
        said("user", result(`t${at}`, `# ${at}\n${name}=${value}\n`)),
      ])
      const { status, text: answer } = await ask(proxied, [said("user", text("go")), ...messages])
      expect(status).toBe(200)
      const wireBody = fixture.provider.heard.at(-1)?.body ?? ""
      const leaked = specimens.filter(({ value }) =>
        wireBody.includes(JSON.stringify(value).slice(1, -1)),
      )
      expect(
        leaked.map((it) => it.kind),
        `SEED=${seed()}`,
      ).toEqual([])
      const parts = new Map<number, string>()
      for (const { index, delta } of dataOf(answer)) {
        if (delta) parts.set(index, (parts.get(index) ?? "") + delta.partial_json)
      }
      const commands = [...parts.values()].map((it) => JSON.parse(it).command as string)
      const missing = specimens.filter(({ value }) => !commands.some((it) => it.includes(value)))
      expect(
        missing.map((it) => it.kind),
        `SEED=${seed()}`,
      ).toEqual([])
      expect(answer).not.toMatch(NAME)
      await proxied.end()
      const [request] = await fixture.requests(proxied.id)
      expect(request?.areSecretsReplaced).toBe(true)
      expect(request?.secrets?.length).toBeGreaterThan(50)
    }
  })

  it("[GATE-112] without knowing the values, at most 1 of 100 canaries passes the scanner", async () => {
    const specimens = [...createSpecimens(seed())(), ...createSpecimens(seed() + 1)()]
    const wire = newWire()
    const body = {
      messages: specimens.map(({ name = "SETTING", value }) =>
        said("user", text(`${name}=${value}`)),
      ),
    }
    const sent = wire.protect(jsonOf(body))?.body.toString() ?? ""
    const leaked = specimens.filter(({ draws }) =>
      draws.some((it) => it.length >= 12 && sent.includes(it)),
    )
    expect(leaked.length / specimens.length, `SEED=${seed()}`).toBeLessThanOrEqual(0.01)
  })

  it("[GATE-113] what cannot be replaced is refused, and nothing of it is sent", async () => {
    await using fixture = await gatewayFixture({ ...PROTECTED, secrets: async () => secrets })
    const proxied = await fixture.proxy({ mode: "record" })
    const secret = token("f")
    const refusals = [
      await ask(proxied, [said("user", text(secret))], {
        headers: { "x-api-key": "", authorization: "Bearer word" },
      }),
      await ask(proxied, [said("user", text("plain"))], {
        headers: { "content-encoding": "zstd" },
      }),
    ]
    expect(refusals.map((it) => it.status)).toEqual([403, 403])
    expect(refusals[0]?.text).toContain("GATEWAY_SECRETS_NOT_REPLACED")
    expect(refusals[0]?.text).not.toContain(secret)
    expect(refusals[1]?.text).toContain("GATEWAY_SECRETS_NOT_SCANNED")
    expect(fixture.provider.heard).toEqual([])
    expect((await ask(proxied, [said("user", text("plain"))])).status).toBe(200)
    await proxied.end()
  })

  it("[GATE-113] a provider that refuses the changed body is not sent the original", async () => {
    await using fixture = await gatewayFixture({ ...PROTECTED, secrets: async () => secrets })
    const proxied = await fixture.proxy({ mode: "record" })
    fixture.provider.say.status = 400
    const { status } = await ask(proxied, [said("user", text(token("g")))])
    expect(status).toBe(400)
    expect(fixture.provider.heard).toHaveLength(1)
    expect(fixture.provider.heard[0]?.body).not.toContain(token("g"))
  })

  it("[GATE-114] in mode warn requests are sent unchanged, and the user gets one notice for each kind", async () => {
    await using fixture = await gatewayFixture({ secrets: async () => secrets })
    const proxied = await fixture.proxy({ mode: "record" })
    const messages = [said("user", text(`use ${token("h")}`))]
    await ask(proxied, messages)
    await ask(proxied, [...messages, said("assistant", text("ok")), said("user", text(token("i")))])
    await proxied.end()
    expect(fixture.provider.heard[0]?.body).toContain(token("h"))
    expect(fixture.told).toEqual([expect.stringContaining("github-token")])
    const requests = await fixture.requests(proxied.id)
    expect(requests.map((it) => it.secrets)).toEqual([
      [{ kind: "github-token", count: 1 }],
      [{ kind: "github-token", count: 1 }],
    ])
    expect(requests[0]?.areSecretsReplaced).toBe(false)
    expect(JSON.stringify(requests)).not.toContain(token("h"))
  })
})
