import { describe, expect, it } from "vitest"
import { currentUrl } from "./location.ts"

describe("currentUrl", () => {
  it("opens the current page for the address of a renamed or merged page", () => {
    expect(currentUrl("/agents")).toBe("/recipes")
    expect(currentUrl("/agents?show=a")).toBe("/recipes?show=a")
    expect(currentUrl("/decisions")).toBe("/memory?kind=decision")
    expect(currentUrl("/decisions?add=yes")).toBe("/memory?kind=decision&add=yes")
  })

  it("leaves other addresses unchanged", () => {
    for (const url of ["/", "/memory?kind=rule", "/agents-of-mine", "/runs/agents"])
      expect(currentUrl(url)).toBe(url)
  })
})
