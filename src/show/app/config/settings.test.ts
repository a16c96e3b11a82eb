import { writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { createSettings } from "./settings.ts"

async function newSettings() {
  const folder = await tempDirectory()
  const userFile = path.join(folder.path, "user.json")
  const projectFile = path.join(folder.path, "project.json")
  const environment = { QM_TOKENS_WINDOW: "7000" }
  const settings = await createSettings({ userFile, projectFile, environment, flags: [] })
  return Object.assign(folder, { settings, userFile })
}

test("[APP-4] a file that is written later counts after the next reading, and not before", async () => {
  await using world = await newSettings()
  const { settings, userFile } = world
  await writeFile(userFile, '{ "log": { "level": "error" } }')
  expect([settings.config().log.level, settings.isDefault("log.level")]).toEqual(["warn", true])
  await settings.reload()
  expect([settings.config().log.level, settings.isDefault("log.level")]).toEqual(["error", false])
})

test("[APP-4] what the environment sets is not a default, and an unknown key is none either", async () => {
  await using world = await newSettings()
  const { isDefault } = world.settings
  expect([isDefault("tokens.window"), isDefault("server.port"), isDefault("no.key")]).toEqual([
    false,
    true,
    false,
  ])
})

test("[APP-4] a file that is wrong makes every question fail until it is mended", async () => {
  await using world = await newSettings()
  const { settings, userFile } = world
  await writeFile(userFile, "{")
  await settings.reload()
  expect(() => settings.config()).toThrow(userFile)
  await writeFile(userFile, "{}")
  await settings.reload()
  expect(settings.config().server.port).toBe(4242)
})
