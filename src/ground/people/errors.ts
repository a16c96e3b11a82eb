import { defineError } from "#ground/base"
import type { Role } from "#ground/contract"

export const RoleTooLow = defineError<{ operation: string; role: Role; needed: Role }>()(
  "PEOPLE_ROLE_TOO_LOW",
  {
    family: "denied",
    message: ({ operation, role, needed }) =>
      `${operation} needs the role ${needed}; your role is ${role}.`,
    hint: ({ needed }) =>
      needed === "owner"
        ? "Ask an owner of this server to do it."
        : "Ask an owner of this server for the role operator.",
  },
)

export const PersonUnknown = defineError<{ name: string }>()("PEOPLE_UNKNOWN", {
  family: "not-found",
  message: ({ name }) => `There is no person "${name}" in this store.`,
  hint: () => "List people with `qm people`.",
})

export const PersonRevoked = defineError<{ name: string }>()("PEOPLE_REVOKED", {
  family: "conflict",
  message: ({ name }) => `${name} was revoked.`,
  hint: () => "A revoked person stays revoked; invite them under another name.",
})

export const PersonNameReserved = defineError<{ name: string }>()("PEOPLE_NAME_RESERVED", {
  family: "invalid",
  message: ({ name }) => `"${name}" is used for something else in logs and approvals.`,
  hint: () => "Choose the name by which the team knows the person.",
})

export const PersonRoleDiffers = defineError<{ name: string; role: Role }>()(
  "PEOPLE_ROLE_DIFFERS",
  {
    family: "conflict",
    message: ({ name, role }) => `${name} exists with the role ${role}.`,
    hint: () => "Omit --role, or change the role of the person first.",
  },
)

/** Also for a token of another person, so that its id reveals nothing. */
export const TokenUnknown = defineError<{ id: string }>()("PEOPLE_TOKEN_UNKNOWN", {
  family: "not-found",
  message: ({ id }) => `There is no token ${id}.`,
  hint: () => "List tokens with `qm people token list`.",
})

export const RunQuotaReached = defineError<{ name: string; working: number; most: number }>()(
  "PEOPLE_RUN_QUOTA_REACHED",
  {
    family: "too-many",
    message: ({ name, working, most }) =>
      `${name} has ${working} runs queued or working; the limit is ${most}.`,
    hint: () => "Wait for a run to end or stop one; an owner changes team.runsAtOnce.",
  },
)

export const SpendQuotaReached = defineError<{ name: string; usd: number; most: number }>()(
  "PEOPLE_SPEND_QUOTA_REACHED",
  {
    family: "too-many",
    message: ({ name, usd, most }) =>
      `The runs of ${name} cost $${usd.toFixed(2)} today; the limit is $${most.toFixed(2)}.`,
    hint: () => "Continue after midnight UTC; an owner changes team.spendPerDayUsd.",
  },
)
