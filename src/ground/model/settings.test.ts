import { describe, expect, test } from "vitest"
import { Config } from "#ground/contract"
import { wiredModel } from "#test/wired-model"
import { AddressInvalid, KeyInvalid, NoKey, SettingMissing } from "./errors.ts"
import { checkAddress, destinationOf, usualModel, type WireProvider } from "./settings.ts"

const settingsOf = (given: object) => Config.shape.model.parse(given)

function destination(provider: WireProvider, given: object, key = "k") {
  const settings = settingsOf({ provider, ...given })
  return destinationOf({ settings, provider, model: usualModel(settings), key })
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe("missing settings", () => {
  test.each([
    ["anthropic", "ANTHROPIC_API_KEY", "qm credential set anthropic"],
    ["openai", "OPENAI_API_KEY", "qm credential set openai"],
    ["azure", "AZURE_OPENAI_API_KEY", "qm credential set azure"],
  ] as const)(
    "[MODEL-11] for %s without a key the error names %s and the command",
    async (provider, variable, command) => {
      await using scene = await wiredModel({ provider, key: () => undefined })
      const error = await scene.ask().catch((it: unknown) => it)
      expect(NoKey.is(error)).toBe(true)
      expect(error).toMatchObject({ code: "MODEL_NO_KEY", hint: expect.stringContaining(variable) })
      expect(error).toMatchObject({ hint: expect.stringContaining(command) })
      expect(String(error)).toContain("model.provider")
      expect(scene.wires.refusals).toEqual([])
    },
  )

  test("[MODEL-11] a key of blanks is a missing key", () => {
    expect(NoKey.is(thrownBy(() => destination("openai", {}, " \n")))).toBe(true)
  })

  test("[MODEL-11] a custom address needs no key", () => {
    const given = { name: "m", baseUrl: "http://127.0.0.1:9/v1" }
    expect(destination("custom", given, "").key).toBeUndefined()
  })

  test.each(["azure", "custom"] as const)(
    "[MODEL-11] for %s without an address the error names the setting",
    (provider) => {
      const error = thrownBy(() => destination(provider, { name: "m" }))
      expect(SettingMissing.is(error)).toBe(true)
      expect(error).toMatchObject({
        code: "MODEL_SETTING_MISSING",
        data: { setting: "model.baseUrl", variable: "QM_MODEL_BASE_URL" },
      })
    },
  )

  test.each(["azure", "custom"] as const)(
    "[MODEL-11] for %s without a model the error names the setting",
    (provider) => {
      const error = thrownBy(() => destination(provider, { baseUrl: "https://x.example" }))
      expect(error).toMatchObject({
        code: "MODEL_SETTING_MISSING",
        data: { setting: "model.name" },
      })
    },
  )

  test("[MODEL-11] a key that a header cannot contain is MODEL_KEY_INVALID and not repeated", () => {
    const key = "first\nsecond"
    const error = thrownBy(() => destination("openai", {}, key))
    expect(KeyInvalid.is(error)).toBe(true)
    expect(JSON.stringify(error)).not.toContain("second")
  })
})

describe("addresses", () => {
  test.each([
    ["anthropic", "", "https://api.anthropic.com/v1"],
    ["anthropic", "https://api.anthropic.com", "https://api.anthropic.com/v1"],
    ["anthropic", "https://proxy.example/claude/", "https://proxy.example/claude/v1"],
    ["anthropic", "http://127.0.0.1:9/v1/", "http://127.0.0.1:9/v1"],
    ["openai", "", "https://api.openai.com/v1"],
    ["openai", "https://proxy.example", "https://proxy.example/v1"],
    ["openai", "https://proxy.example/api", "https://proxy.example/api"],
    ["azure", "https://us.example", "https://us.example/openai/deployments/our%20gpt"],
    ["azure", "https://us.example/openai/", "https://us.example/openai/deployments/our%20gpt"],
    ["custom", "http://localhost:11434/v1", "http://localhost:11434/v1"],
    ["custom", "http://[::1]:9", "http://[::1]:9"],
  ] as const)("[MODEL-12] the request URL of %s at %j is %s", (provider, baseUrl, expected) => {
    expect(destination(provider, { baseUrl, name: "our gpt" }).baseUrl).toBe(expected)
  })

  test.each([
    ["no address at all", "api.example"],
    ["http to another machine", "http://api.example/v1"],
    ["a name that only begins like this machine", "http://localhost.example/v1"],
    ["an address that only begins like this machine", "http://127.0.0.1.example/v1"],
    ["a file", "file:///etc/passwd"],
    ["a password", "https://me:pass@api.example/v1"],
    ["a query", "https://api.example/v1?to=elsewhere"],
    ["a fragment", "https://api.example/v1#x"],
  ])("[MODEL-12] %s is MODEL_ADDRESS_INVALID and the error names the setting", (_, address) => {
    const error = thrownBy(() => checkAddress(address, "model.baseUrl"))
    expect(AddressInvalid.is(error)).toBe(true)
    expect(String(error)).toContain("model.baseUrl")
    expect(JSON.stringify(error)).not.toContain("pass@")
  })
})
