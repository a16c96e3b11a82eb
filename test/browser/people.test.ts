import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { settle, visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 1 })])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

test("[CONSOLE-107] an owner invites a person, whose link signs in one browser without the owner's actions", async () => {
  await using owner = await visit(chromium.browser, fixture, { path: "/settings" })
  const people = owner.page.getByRole("region", { name: "People" })
  await people.getByLabel("Name of the person").fill("ada")
  await people.getByLabel("Name of the person").press("Enter")
  await people.getByRole("button", { name: "Copy the link" }).waitFor()
  await people.getByText(/^ada/).first().waitFor()

  const role = people.getByRole("radiogroup", { name: "Role of ada" })
  await role.getByRole("radio", { name: "viewer", checked: true }).waitFor()
  const chosen = people.getByRole("radiogroup", { name: "Role of the person" })
  await chosen.getByRole("radio", { name: "viewer", checked: true }).waitFor()

  const { link } = await fixture.call("people.invite", { name: "ada" })
  await using person = await visit(chromium.browser, fixture, { path: "/", by: "address" })
  await person.page.goto(`${fixture.url}/settings${link.slice(link.indexOf("#"))}`)
  await settle(person.page)
  const own = person.page.getByRole("region", { name: "People" })
  await own.getByText("ada, viewer").waitFor()
  expect(await own.getByLabel("Name of the person").count()).toBe(0)
  expect(owner.problems()).toEqual([])

  await people.getByRole("button", { name: /^Revoke/ }).click()
  await owner.page
    .getByRole("dialog")
    .getByRole("button", { name: /^Revoke/ })
    .click()
  await people.getByText("revoked", { exact: true }).waitFor()
  await person.page
    .getByText(/Session expired|signed out/i)
    .first()
    .waitFor()
})
