import { describe, expect, it } from "vitest"
import { anApproval } from "./run.fixture.ts"
import { NOTHING_ASKED, nextAsked } from "./use-approvals.ts"

const answered = (id: string) => anApproval(id, { status: "allowed" })

describe("the question that keys answer", () => {
  it("[CONSOLE-25] is the one that is open, also when others come behind it", () => {
    const one = nextAsked(NOTHING_ASKED, [anApproval("a")], null)
    expect(one.keyed).toBe("a")
    expect(nextAsked(one, [anApproval("a"), anApproval("b")], null).keyed).toBe("a")
  })

  it("[CONSOLE-25] is none when another takes its place, until that one is selected", () => {
    const two = nextAsked(NOTHING_ASKED, [anApproval("a"), anApproval("b")], null)
    const left = nextAsked(two, [answered("a"), anApproval("b")], null)
    expect(left.keyed).toBeNull()
    expect(nextAsked(left, [answered("a"), anApproval("b")], "b").keyed).toBe("b")
    expect(nextAsked(left, [answered("a"), anApproval("b")], "a").keyed).toBeNull()
  })

  it("[CONSOLE-25] is a new one that comes when none was open", () => {
    const none = nextAsked({ keyed: "a", openIds: ["a"] }, [answered("a")], null)
    expect(nextAsked(none, [answered("a"), anApproval("b")], null).keyed).toBe("b")
  })
})
