import { defineError } from "#ground/base"

export const CarryUnknown = defineError<{ id: string }>()("GATEWAY_CARRY_UNKNOWN", {
  family: "not-found",
  message: (it) =>
    it.id === "last"
      ? "Nothing went through the gateway here yet."
      : `Nothing that went through the gateway here is known as ${it.id}.`,
  hint: () =>
    "`qm gateway list` names what is kept; `qm gateway run -- <command>` sends a host through it.",
})

export const RequestUnknown = defineError<{ carry: string; seq: number }>()(
  "GATEWAY_REQUEST_UNKNOWN",
  {
    family: "not-found",
    message: (it) => `No request ${it.seq} of ${it.carry} is kept.`,
    hint: (it) => `\`qm gateway show ${it.carry}\` lists its requests; old ones are taken away.`,
  },
)

export const CarryNotNamed = defineError<{ run: string; carries: number }>()(
  "GATEWAY_CARRY_NOT_NAMED",
  {
    family: "invalid",
    message: (it) =>
      `${it.run} has ${it.carries} carries, and each numbers its requests from 1 on.`,
    hint: (it) => `Name one of them; \`qm gateway list --run ${it.run}\` has their ids.`,
  },
)
